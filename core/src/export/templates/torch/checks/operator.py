"""The operator's results: every kernel of the export, sizes, types, and calls that are odd or wrong."""

import torch

from . import (DEVICE, SMALL, TOLERANCE, TYPES, Skip, call, call_with_sizes_there, deformable_attention, distance,
               exact, kernels, needs_a_gpu, pyramids, require, runs_here, shape_of, tensors)
from @PACKAGE@ import form
from @PACKAGE@.layers import points_by_level


def of_stored_values(kernel):
    """What a kernel may add to the error that stores values anew: half a step is of the largest magnitude of a level,
    which normal values have at five times their deviation."""
    return kernel["value_unit"] + 5 * kernel["value_step"] / 2


def the_kernels_of_the_table():
    needs_a_gpu()
    said = []
    for kernel in kernels("forward"):
        worst = 0
        for levels in pyramids(kernel):
            for queries in (min(kernel["queries"] // 2, 20000), 301):
                parts = tensors(**{**shape_of(kernel), "levels": levels}, queries=queries)
                sizes = torch.tensor(levels, device=DEVICE) if kernel["form"] == "stored" else levels
                if runs_here(kernel):
                    found = form(parts[0], sizes, *parts[1:])
                    expected = {kernel["form"]} | ({"fixed"} if kernel["form"] == "given" else set())
                    assert found in expected, f"a {found} kernel for {kernel['name']} at {levels}"
                    if found != kernel["form"]:  # it rounds as it does, and is checked by itself
                        continue
                truth = exact(parts[0], levels, *parts[1:])
                error = distance(call(sizes, parts), truth)
                most = TOLERANCE[parts[0].dtype] + of_stored_values(kernel)
                worst = max(worst, require(error, most, f"{kernel['name']} at {levels}"))
        said.append(f"{kernel['name']} {worst:.1e}")
    return "; ".join(said)


def the_general_kernel():
    worst = 0
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in TYPES.values():
            for location_type in {dtype, torch.float32}:
                parts = tensors([*SMALL, (2, 2)], dtype, device, heads=3, location_type=location_type)
                assert form(parts[0], [*SMALL, (2, 2)], *parts[1:]) == "general"
                error = distance(call([*SMALL, (2, 2)], parts), exact(parts[0], [*SMALL, (2, 2)], *parts[1:]))
                worst = max(worst, require(error, TOLERANCE[dtype], f"{dtype} on {device}"))
    return f"{worst:.1e}"


def general_channels_and_points():
    """Sizes at which lanes are left over, levels of one pixel, and few rows beside many."""
    worst = 0
    levels = [(17, 13), (9, 7), (1, 1), (1, 5)]
    for channels, points, queries, heads in [(4, 1, 3, 1), (30, 2, 33, 4), (71, 13, 5, 3), (8, 32, 700, 16),
                                             (32, 4, 5000, 8), (144, 3, 9, 2), (256, 4, 40, 2), (1025, 2, 3, 1)]:
        for dtype in TYPES.values():
            parts = tensors(levels, dtype, queries=queries, heads=heads, channels=channels, points=points, batch=1)
            truth = exact(parts[0], levels, *parts[1:])
            for sizes in (levels, torch.tensor(levels, device=DEVICE)):
                error = distance(call(sizes, parts), truth)
                worst = max(worst, require(error, TOLERANCE[dtype], f"{channels} channels in {dtype}"))
    return f"{worst:.1e}"


def an_image_alone_has_the_same_bits():
    parts = tensors(batch=134, heads=80, channels=8, dtype=torch.float16)
    all_of_them = call(SMALL, parts)
    for image in (0, 71, 133):
        assert torch.equal(call(SMALL, [part[image:image + 1] for part in parts])[0], all_of_them[image])


def sizes_on_the_device_that_contradict_value():
    """Rows that read a level which does not lie in value are NaN; a stored kernel takes nothing but value's sizes."""
    shapes = [{"levels": [(32, 32), (16, 16), (8, 8)]}]
    shapes += [shape_of(k) for k in kernels("forward") if k["form"] == "stored" and runs_here(k)]
    for shape in shapes:
        levels = shape["levels"]
        parts = tensors(**shape, batch=1, outside=0)
        first = levels[0][0] * levels[0][1]
        cut = (parts[0][:, :first].contiguous(), *parts[1:])  # the first level alone lies in it
        wrong = [(height, width + 1) for height, width in levels]
        huge = [(2**40, 2**40)] * len(levels)
        for sizes, given in ((levels, cut), (wrong, parts), (huge, parts), ([(-3, 5)] * len(levels), parts)):
            output = call_with_sizes_there(sizes, given)
            assert output.isnan().any(), f"{sizes}: no NaN"
    few = tensors([(32, 32)], batch=1)
    assert call_with_sizes_there([(16, 16)], few).isfinite().all()  # the general kernel reads what is there


def locations_that_are_no_numbers():
    value = torch.ones(1, 16, 1, 8, device=DEVICE)
    far = [(float("nan"), 0.5), (float("inf"), 0.5), (-3.2e38, 3e38), (1e9, 0.5), (0.5, 0.5)]
    locations = torch.tensor(far, device=DEVICE).view(1, 5, 1, 1, 1, 2)
    output = deformable_attention(value, [(4, 4)], locations, torch.ones(1, 5, 1, 1, 1, device=DEVICE))
    assert output[0, :, 0].tolist() == [0, 0, 0, 0, 1]


def a_corner_of_the_image_counts_a_quarter():
    levels = [(128, 128), (64, 64), (32, 32), (16, 16)]
    for dtype in TYPES.values():
        value, locations, weights = tensors(levels, dtype, queries=300, heads=8, batch=1)
        output = deformable_attention(torch.ones_like(value), levels, torch.ones_like(locations),
                                      torch.full_like(weights, 1 / 16))
        assert (output == 0.25).all()


def sizes_as_tensors():
    parts = tensors()
    expected = call(SMALL, parts)
    for device in {torch.device("cpu"), DEVICE}:
        assert torch.equal(call(torch.tensor(SMALL, device=device), parts), expected)
    sizes = torch.tensor(SMALL, device=DEVICE)
    pixels = sizes.prod(1)
    output = deformable_attention(parts[0], sizes, *parts[1:], starts=pixels.cumsum(0) - pixels)
    assert torch.equal(output, expected)


def points_by_level_are_those_of_each_level():
    counts = [3, 6, 3]
    value = tensors()[0]
    generator = torch.Generator().manual_seed(3)
    locations = torch.rand(2, 7, 4, 12, 2, generator=generator).to(DEVICE)
    weights = torch.rand(2, 7, 4, 12, generator=generator).to(DEVICE)
    truth, first = 0, 0
    for level, count in enumerate(counts):
        part = slice(first, first + count)
        alone = torch.zeros(2, 7, 4, 3, count, device=DEVICE)
        alone[:, :, :, level] = weights[:, :, :, part]
        everywhere = locations[:, :, :, None, part].expand(2, 7, 4, 3, count, 2)
        truth = truth + exact(value, SMALL, everywhere, alone)
        first += count
    require(distance(points_by_level(value, SMALL, locations, weights, counts), truth), 2e-6, "points by level")


def tensors_that_are_not_contiguous():
    value, locations, weights = tensors()
    expected = deformable_attention(value, SMALL, locations, weights)
    strided = [t.transpose(0, 1).contiguous().transpose(0, 1) for t in (value, locations, weights)]
    assert not strided[0].is_contiguous()
    assert torch.equal(deformable_attention(strided[0], SMALL, strided[1], strided[2]), expected)
    # Elements that begin between the words that kernels read.
    shifted = torch.empty(value.numel() + 1, device=DEVICE)[1:].view_as(value).copy_(value)
    assert torch.equal(deformable_attention(shifted, SMALL, locations, weights), expected)


def wrong_shapes_are_refused():
    value, locations, weights = tensors()
    for wrong in (lambda: deformable_attention(value, SMALL[:2], locations, weights),
                  lambda: deformable_attention(value[:, 1:], SMALL, locations, weights),
                  lambda: deformable_attention(value, [(-9, -12), *SMALL[1:]], locations, weights),
                  lambda: deformable_attention(value, SMALL, locations[:1], weights)):
        try:
            wrong()
        except RuntimeError:
            continue
        raise AssertionError("a wrong shape was taken")


def autocast():
    value, locations, weights = tensors()
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        output = deformable_attention(value, SMALL, locations, weights)
    assert output.dtype == torch.bfloat16
    return f"{require(distance(output, exact(value, SMALL, locations, weights)), 2e-2, 'bf16'):.1e}"


def another_stream():
    needs_a_gpu()
    parts = tensors()
    expected = call(SMALL, parts)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        output = call(SMALL, parts)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(output, expected)


def nothing_waits_for_the_gpu():
    needs_a_gpu()
    parts = [part.requires_grad_() for part in tensors()]
    sizes = torch.tensor(SMALL, device=DEVICE)
    torch.cuda.set_sync_debug_mode("error")
    try:
        call(SMALL, parts).sum().backward()
        call(sizes, parts).sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")


CHECKS = (the_kernels_of_the_table, the_general_kernel, general_channels_and_points, an_image_alone_has_the_same_bits,
          sizes_on_the_device_that_contradict_value, locations_that_are_no_numbers,
          a_corner_of_the_image_counts_a_quarter, sizes_as_tensors, points_by_level_are_those_of_each_level,
          tensors_that_are_not_contiguous, wrong_shapes_are_refused, autocast, another_stream,
          nothing_waits_for_the_gpu)
