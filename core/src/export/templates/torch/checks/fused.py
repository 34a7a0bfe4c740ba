"""The operator from offsets and logits: every kernel of the export and the general form, gradients, and odd calls."""

import torch

from . import (DEVICE, SMALL, TOLERANCE, TYPES, Skip, distance, kernels, needs_a_gpu, pyramids,
               reference, require, runs_here, shape_of, trained)
from .compilers import error_in_onnxruntime
from @PACKAGE@ import form_of_fused, fused_attention, points_of, reads_mask
from @PACKAGE@._ops import ops
from @PACKAGE@.fused import attention_of_points

NAMES = ("value", "references", "offsets", "logits")
LAYOUTS = ((2, 0), (4, 0), (2, 1), (4, 1), (2, 2), (4, 4))  # coordinates and anchors


def tensors(levels=SMALL, dtype=torch.float32, device=DEVICE, batch=2, queries=33, heads=4, channels=32, points=4,
            coordinates=2, anchors=0, wide=False, seed=7, off_knots=False, box_parts=None):
    """value, references, offsets, logits. In a row of eight one weight takes nearly all. `points` of all levels, or a
    list of those of each. `wide`: offsets and logits in fp32. `off_knots`: no rounding carries a point across a pixel's
    centre, where derivatives jump."""
    generator = torch.Generator(device="cpu").manual_seed(seed)
    normal = lambda *sizes: torch.randn(*sizes, generator=generator)  # noqa: E731
    rand = lambda *sizes: torch.rand(*sizes, generator=generator)  # noqa: E731
    count = anchors or len(levels)
    value = rand(batch, sum(h * w for h, w in levels), heads, channels) - 0.5
    references = rand(batch, queries, count, 2) * 1.2 - 0.1
    if coordinates == 4:
        references = torch.cat([references, 0.1 + 0.4 * rand(batch, queries, count, 2)], -1)
    rows = (batch, queries, heads)
    of_row = (sum(points),) if isinstance(points, list) else (len(levels), points)
    offsets = normal(*rows, *of_row, 2) * 2
    if off_knots:
        offsets = _off_knots(levels, references, offsets, anchors != 0, points, box_parts)
    logits = normal(*rows, *of_row).flatten(3) * 2
    logits *= torch.where(rand(*rows, 1) < 0.125, 16.0, 1.0)
    narrow = torch.float32 if wide else dtype
    return (value.to(device, dtype), references.to(device), offsets.to(device, narrow), logits.to(device, narrow))


def _off_knots(levels, references, offsets, anchors, points, box_parts):
    sizes, given = offsets.new_tensor([(width, height) for height, width in levels])[:, None], None
    if isinstance(points, list):
        given, sizes = points, sizes[:, 0].repeat_interleave(torch.tensor(points), 0)
    zero = offsets.new_zeros(*offsets.shape[:-1])

    def place(offsets):
        return points_of(levels, references, offsets, zero, anchors, given, box_parts)[0]

    pixels = place(offsets) * sizes - 0.5
    moved = pixels.floor() + 0.25 + (pixels - pixels.floor()) / 2 - pixels
    unit = (place(torch.ones_like(offsets)) - place(torch.zeros_like(offsets))) * sizes
    return offsets + moved / unit


def call(levels, parts, anchors=0, **rest):
    value, references, offsets, logits = parts
    return fused_attention(value, levels, references, offsets, logits, anchors=anchors > 1, **rest)


def exact(levels, parts, anchors=0, padding_mask=None, points=None, box_parts=None):
    value, references, offsets, logits = (part.double() for part in parts)
    if padding_mask is not None:
        value = value.masked_fill(padding_mask[..., None, None], 0.0)
    made = points_of(levels, references, offsets, logits, anchors > 1, points, box_parts)
    return attention_of_points(reference, value, levels, *made, points)


def gradients(function, parts):
    parts = trained(parts)
    output = function(parts)
    output.square().sum().backward() if output.dtype == torch.float64 else output.float().square().sum().backward()
    return [part.grad for part in parts]


def compare_gradients(levels, parts, anchors, most, what, sizes=None, **rest):
    found = gradients(lambda p: call(sizes if sizes is not None else levels, p, anchors, **rest), parts)
    truth = gradients(lambda p: exact(levels, p, anchors, **rest), [part.double() for part in parts])
    return max(require(distance(a, b), most, f"{what}: gradient of {name}") for name, a, b in zip(NAMES, found, truth))


def shape_of_fused(kernel):
    shape = {key: value for key, value in shape_of(kernel).items() if key != "location_type"}
    layout = kernel["references"]
    shape.update(coordinates=layout["coordinates"], anchors=layout["anchors"])
    if layout["coordinates"] == 4:
        shape["box_parts"] = layout["box_parts"]
    return {**shape, "points": kernel["level_points"] or shape["points"]}


def rest_of(kernel, value):
    """What a call for the kernel has beside its tensors: points by level, parts of boxes, a padding mask."""
    rest = {"box_parts": shape_of_fused(kernel).get("box_parts"), "points": kernel["level_points"] or None}
    return {**rest, "padding_mask": mask_of(value) if kernel["padded"] else None}


def plain_kernels():
    """Those for calls of tensors alone."""
    def is_plain(kernel):
        parts = kernel["references"]["box_parts"]
        return not kernel["padded"] and not kernel["level_points"] and set(parts) == {0.5 / kernel["points"]}

    return [kernel for kernel in kernels("fused") if is_plain(kernel)]


def mask_of(value):
    return torch.rand(value.shape[:2], generator=torch.Generator().manual_seed(4)).to(value.device) < 0.3


def the_kernels_of_the_table():
    needs_a_gpu()
    said = []
    for kernel in kernels("fused"):
        worst = 0
        for levels in pyramids(kernel):
            shape = {**shape_of_fused(kernel), "levels": levels}
            for queries in (min(kernel["queries"] // 2, 5000), 301):
                parts, anchors = tensors(**shape, queries=queries), shape["anchors"]
                rest = rest_of(kernel, parts[0])
                sizes = torch.tensor(levels, device=DEVICE) if kernel["form"] == "stored" else levels
                if runs_here(kernel):
                    found = form_of_fused(parts[0], sizes, *parts[1:], anchors=anchors > 1, **rest)
                    expected = {kernel["form"]} | ({"fixed"} if kernel["form"] == "given" else set())
                    assert found in expected, f"a {found} kernel for {kernel['name']} at {levels}"
                    assert reads_mask(parts[0], sizes, *parts[1:], anchors=anchors > 1, **rest) == kernel["padded"]
                    if found != kernel["form"]:  # it rounds as it does, and is checked by itself
                        continue
                most = TOLERANCE[parts[0].dtype] + kernel["value_unit"] + 5 * kernel["value_step"] / 2
                most += max(sum(levels, ())) * 2**-25  # pixels that a place moves by, rounded in fp32
                error = distance(call(sizes, parts, anchors, **rest), exact(levels, parts, anchors, **rest))
                worst = max(worst, require(error, most, f"{kernel['name']} at {levels}"))
        said.append(f"{kernel['name']} {worst:.1e}")
    if not said:
        raise Skip("the export has none")
    return "; ".join(said)


def the_general_form():
    """References of all kinds, numbers of points that lanes do not divide, and more than a warp has lanes."""
    worst = 0
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in TYPES.values():
            for coordinates, anchors in LAYOUTS:
                for levels, points in ((SMALL, 4), ([(9, 12), (1, 5)], 13), ([(7, 5)] * 5, 8), ([(4, 4)], 1)):
                    shape = dict(points=points, heads=3, channels=20, coordinates=coordinates, anchors=anchors)
                    for wide in (False, True):
                        parts = tensors(levels, dtype, device, **shape, wide=wide)
                        assert form_of_fused(parts[0], levels, *parts[1:], anchors=anchors > 1) == "general"
                        truth = exact(levels, parts, anchors)
                        for sizes in (levels, torch.tensor(levels, device=device)):
                            error = distance(call(sizes, parts, anchors), truth)
                            worst = max(worst, require(error, 2 * TOLERANCE[dtype], f"{shape}, {dtype} on {device}"))
    return f"{worst:.1e}"


def all_gradients():
    worst = 0
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in TYPES.values():
            for coordinates, anchors in LAYOUTS:
                parts = tensors(SMALL, dtype, device, coordinates=coordinates, anchors=anchors, off_knots=True)
                for sizes in (SMALL, torch.tensor(SMALL, device=device)):
                    worst = max(worst, compare_gradients(SMALL, parts, anchors, 20 * TOLERANCE[dtype],
                                                         f"{coordinates}, {anchors}, {dtype} on {device}", sizes))
    return f"{worst:.1e}"


def gradients_of_the_shapes_of_the_table():
    needs_a_gpu()
    worst = 0
    for kernel in kernels("fused"):
        shape = shape_of_fused(kernel)
        parts = tensors(**shape, batch=1, queries=301, off_knots=True)
        worst = max(worst, compare_gradients(shape["levels"], parts, shape["anchors"], 20 * TOLERANCE[shape["dtype"]],
                                             kernel["name"], **rest_of(kernel, parts[0])))
    return f"{worst:.1e}"


def gradcheck():
    levels = [(6, 4), (3, 2)]
    for coordinates in (2, 4):
        parts = tensors(levels, batch=1, queries=3, heads=2, channels=2, points=2, coordinates=coordinates,
                        off_knots=True)
        parts = [*parts[:3], parts[3].clamp(-2, 2)]
        assert torch.autograd.gradcheck(lambda *p: call(levels, p), trained(parts), eps=1e-2, atol=4e-3, rtol=4e-3,
                                        nondet_tol=1e-5)


def any_of_them():
    parts = tensors(coordinates=4)
    all_of_them = gradients(lambda p: call(SMALL, p), parts)
    for asked in range(1, 16):
        some = [part.detach().requires_grad_(bool(asked >> i & 1)) for i, part in enumerate(parts)]
        call(SMALL, some).square().sum().backward()
        for i, part in enumerate(some):
            assert (part.grad is not None) == bool(asked >> i & 1)
            if part.grad is not None:
                require(distance(part.grad, all_of_them[i]), 1e-5, f"{NAMES[i]} of {asked:04b}")


def a_logit_of_minus_infinity():
    value, references, offsets, logits = tensors()
    logits[0, 0, 0, :3] = -float("inf")
    logits[1, 2, 1] = -float("inf")
    output = call(SMALL, (value, references, offsets, logits)).view(2, 33, 4, 32)
    assert output[1, 2, 1].isnan().all()
    output[1, 2, 1] = 0
    truth = exact(SMALL, (value, references, offsets, logits)).view(2, 33, 4, 32).nan_to_num()
    require(distance(output, truth), 4e-6, "a logit of minus infinity")


def empty_calls():
    for batch, queries in ((0, 33), (2, 0), (0, 0)):
        parts = trained(tensors(batch=batch, queries=queries))
        output = call(SMALL, parts)
        output.sum().backward()
        assert output.shape == (batch, queries, 128)
        assert all(t.grad.shape == t.shape and not t.grad.any() for t in parts)


def strided_tensors():
    parts = tensors()
    expected = call(SMALL, parts)
    strided = [t.transpose(0, 1).contiguous().transpose(0, 1) for t in parts]
    assert torch.equal(call(SMALL, strided), expected)
    shifted = [torch.empty(t.numel() + 1, device=DEVICE)[1:].view_as(t).copy_(t) for t in parts]
    require(distance(call(SMALL, shifted), expected), 1e-6, "tensors between words")
    found = trained(parts)
    call(SMALL, found).backward(torch.ones(1, device=DEVICE).expand(expected.shape))
    dense = trained(parts)
    call(SMALL, dense).backward(torch.ones_like(expected))
    for a, b in zip(found, dense):
        require(distance(a.grad, b.grad), 1e-5, "a strided gradient")


def wrong_shapes_are_refused():
    value, references, offsets, logits = tensors()
    for wrong in (lambda: call(SMALL[:2], (value, references, offsets, logits)),
                  lambda: call(SMALL, (value[:, 1:], references, offsets, logits)),
                  lambda: call(SMALL, (value, references[..., :1], offsets, logits)),
                  lambda: call(SMALL, (value, references[:, :, :2], offsets, logits)),
                  lambda: call(SMALL, (value, references[:1], offsets, logits)),
                  lambda: call(SMALL, (value, references, offsets, logits[:, :1]))):
        try:
            wrong()
        except (RuntimeError, ValueError):
            continue
        raise AssertionError("a wrong shape was taken")


def sizes_on_the_device_that_contradict_value():
    shapes = [{"levels": [(32, 32)]}]
    shapes += [shape_of_fused(k) for k in plain_kernels() if k["form"] == "stored" and runs_here(k)]
    for shape in shapes:
        parts, count = tensors(**shape, batch=1), len(shape["levels"])
        for sizes in ([(33, 33)] * count, [(2**40, 2**40)] * count, [(-3, 5)] * count):
            wrong = torch.tensor(sizes, device=DEVICE)
            output = ops.fused_on_device(parts[0], wrong, *parts[1:3], parts[3].view(parts[2].shape[:-1]),
                                         shape.get("anchors", 0), None, [], [])
            assert output.isnan().any(), f"{sizes}: no NaN"


def types_of_autocast():
    """Values, offsets and logits in bf16, references in fp32, as a training step under AMP has them."""
    parts = tensors(SMALL, torch.bfloat16, off_knots=True)
    given = trained([parts[0].float(), *parts[1:]])
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        output = call(SMALL, given)
    assert output.dtype == torch.bfloat16
    error = require(distance(output, exact(SMALL, parts)), 2e-2, "bf16")
    output.float().square().sum().backward()
    assert [part.grad.dtype for part in given] == [part.dtype for part in given]
    return f"{error:.1e}"


def repeatable_or_refused():
    needs_a_gpu()
    parts = tensors(heads=3)
    torch.use_deterministic_algorithms(True)
    try:
        try:
            gradients(lambda p: call(SMALL, p), parts)
        except RuntimeError as error:
            assert "same order" in str(error), error
        else:
            raise AssertionError("sums in any order where the same bits were asked for")
        call(SMALL, [parts[0], *trained(parts[1:])]).sum().backward()  # gradients of points repeat in any case
    finally:
        torch.use_deterministic_algorithms(False)


def twice_is_refused_in_words():
    parts = trained(tensors())
    (first,) = torch.autograd.grad(call(SMALL, parts).square().sum(), parts[0], create_graph=True)
    try:
        first.sum().backward()
    except RuntimeError as error:
        assert "second derivative" in str(error), error
    else:
        raise AssertionError("a second derivative was computed")


def opcheck():
    if not hasattr(torch.library, "opcheck"):
        raise Skip("PyTorch before 2.4 has none")
    sizes = [size for level in SMALL for size in level]
    value, references, offsets, logits = tensors(coordinates=4)
    parts = trained((value, references, offsets, logits.view(offsets.shape[:-1])))
    shapes = torch.tensor(SMALL, device=DEVICE)
    torch.library.opcheck(ops.fused.default, (*parts, sizes, 0, None, [], []))
    torch.library.opcheck(ops.fused_on_device.default, (parts[0], shapes, *parts[1:], 0, mask_of(value), [],
                                                              [0.125] * 12))
    plain = [part.detach() for part in parts]
    grad = torch.rand(2, 33, 128, device=DEVICE)
    for asked in (15, 6):
        # Sums in any order have other bits each time, which this check takes for another result.
        torch.library.opcheck(ops.fused_backward.default, (grad, *plain, sizes, 0, mask_of(value), [], [], asked, False),
                              test_utils=("test_schema", "test_faketensor", "test_autograd_registration"))


def compiles_without_a_graph_break():
    parts = tensors()
    function = torch.compile(lambda *p: call(SMALL, p) * 2, fullgraph=True)
    assert torch.equal(function(*parts), call(SMALL, parts) * 2)
    step = torch.compile(lambda *p: call(SMALL, p).square().sum(), fullgraph=True)
    compiled, eager = trained(parts), trained(parts)
    step(*compiled).backward()
    call(SMALL, eager).square().sum().backward()
    for a, b in zip(compiled, eager):
        require(distance(a.grad, b.grad), 1e-5, "a compiled step")
    sizes = torch.tensor(SMALL, device=DEVICE)
    dynamic = torch.compile(lambda s, *p: call(s, p) * 2, fullgraph=True, dynamic=True)
    for batch, queries in ((2, 33), (3, 40), (5, 7)):
        parts = tensors(batch=batch, queries=queries)
        assert torch.equal(dynamic(sizes, *parts), call(SMALL, parts) * 2)


def cuda_graph():
    needs_a_gpu()
    for shape in [shape_of_fused(k) for k in plain_kernels()[:3]] + [{"levels": SMALL}]:
        parts, anchors = tensors(**shape), shape.get("anchors", 0)
        for sizes in (shape["levels"], torch.tensor(shape["levels"], device=DEVICE)):
            expected = call(sizes, parts, anchors)
            graph = torch.cuda.CUDAGraph()
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                output = call(sizes, parts, anchors)
            output.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(output, expected)


def vmap():
    if not hasattr(torch.library, "register_vmap"):
        raise Skip("PyTorch before 2.5 has no rules for it")
    parts = [torch.stack([a, b]) for a, b in zip(tensors(seed=1), tensors(seed=2))]
    found = torch.vmap(lambda *p: call(SMALL, p))(*parts)
    for i in range(2):
        assert torch.equal(found[i], call(SMALL, [part[i] for part in parts]))


def nothing_waits_for_the_gpu():
    needs_a_gpu()
    parts = trained(tensors())
    sizes = torch.tensor(SMALL, device=DEVICE)
    torch.cuda.set_sync_debug_mode("error")
    try:
        call(SMALL, parts).sum().backward()
        call(sizes, parts).sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")


class Attention(torch.nn.Module):
    def forward(self, *parts):
        return call(SMALL, parts)


def onnx_on_the_cpu():
    return error_in_onnxruntime(
        Attention(), list(NAMES),
        lambda batch, queries: tensors(device="cpu", heads=3, channels=5, batch=batch, queries=queries, coordinates=4),
        lambda given: exact(SMALL, given))


CHECKS = (the_kernels_of_the_table, the_general_form, all_gradients, gradients_of_the_shapes_of_the_table, gradcheck,
          any_of_them, a_logit_of_minus_infinity, empty_calls, strided_tensors,
          wrong_shapes_are_refused, sizes_on_the_device_that_contradict_value, types_of_autocast,
          repeatable_or_refused, twice_is_refused_in_words, opcheck, compiles_without_a_graph_break, cuda_graph, vmap,
          nothing_waits_for_the_gpu, onnx_on_the_cpu)
