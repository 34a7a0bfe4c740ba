"""The gradients: those of every kernel of the export and of the general one, in all the ways that autograd asks."""

import torch

from . import (DEVICE, SMALL, TOLERANCE, TYPES, Skip, call, call_with_sizes_there, distance, exact_gradients,
               gradients_of, kernels, needs_a_gpu, pyramids, require, runs_here, shape_of, tensors, trained)
from @PACKAGE@ import form_of_gradients

NAMES = ("value", "locations", "weights")


def compare(found, truth, most, what):
    worst = 0
    for name, a, b in zip(NAMES, found, truth):
        worst = max(worst, require(distance(a, b), most, f"{what}: gradient of {name}"))
    return worst


def off_knots(levels, dtype, **shape):
    """Points whose coordinates no rounding carries across a pixel's centre, where the derivative jumps."""
    value, locations, weights = tensors(levels, dtype, **shape)
    for level, (height, width) in enumerate(levels):
        size = torch.tensor([width, height], device=locations.device)
        pixels = locations[:, :, :, level].float() * size
        fraction = (pixels - 0.5).frac()
        fraction = torch.where(fraction < 0, fraction + 1, fraction)
        moved = (pixels - 0.5).floor() + 0.25 + fraction / 2 + 0.5
        locations[:, :, :, level] = (moved / size).to(locations.dtype)
    return value, locations, weights


def the_kernels_of_the_table():
    needs_a_gpu()
    said = []
    for kernel in kernels("backward"):
        for levels in pyramids(kernel):
            shape = {**shape_of(kernel), "levels": levels}
            parts = off_knots(shape.pop("levels"), shape.pop("dtype"), **shape, queries=min(kernel["queries"] // 2, 999))
            torch.use_deterministic_algorithms(kernel["repeats"])
            try:
                if runs_here(kernel):
                    assert form_of_gradients(parts[0], levels, *parts[1:]) != "general", kernel["name"]
                found = gradients_of(lambda *p: call(levels, p), parts)
                if kernel["repeats"]:
                    again = gradients_of(lambda *p: call(levels, p), parts)
                    assert all(torch.equal(a, b) for a, b in zip(found, again)), f"{kernel['name']}: other bits"
            finally:
                torch.use_deterministic_algorithms(False)
            most = 20 * TOLERANCE[parts[0].dtype]
            said.append(f"{kernel['name']} {compare(found, exact_gradients(levels, parts), most, kernel['name']):.1e}")
    if not said:
        raise Skip("the export has none")
    return "; ".join(said)


def the_general_kernel():
    worst = 0
    levels = [(9, 12), (5, 6), (1, 1), (1, 5)]
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in TYPES.values():
            for location_type in {dtype, torch.float32}:
                for channels, heads in ((32, 4), (30, 3), (5, 1), (256, 2)):
                    parts = off_knots(levels, dtype, device=device, heads=heads, channels=channels,
                                      location_type=location_type)
                    truth = exact_gradients(levels, parts)
                    for sizes in (levels, torch.tensor(levels, device=device)):
                        found = gradients_of(lambda *p: call(sizes, p), parts)
                        worst = max(worst, compare(found, truth, 10 * TOLERANCE[dtype], f"{dtype} on {device}"))
    return f"{worst:.1e}"


def gradcheck():
    """Central differences in fp32, far from where a sample crosses into another cell."""
    levels = [(6, 4), (3, 2)]
    parts = off_knots(levels, torch.float32, batch=1, queries=3, heads=2, channels=2, points=2, outside=0)
    assert torch.autograd.gradcheck(lambda v, l, w: call(levels, (v, l, w)), trained(parts), eps=1e-2, atol=2e-3,
                                    rtol=2e-3, nondet_tol=1e-5)


def any_of_them():
    parts = tensors()
    all_of_them = gradients_of(lambda *p: call(SMALL, p), parts)
    for asked in range(1, 8):
        some = [part.detach().requires_grad_(bool(asked >> i & 1)) for i, part in enumerate(parts)]
        call(SMALL, some).square().sum().backward()
        for i, part in enumerate(some):
            assert (part.grad is not None) == bool(asked >> i & 1)
            if part.grad is not None:
                require(distance(part.grad, all_of_them[i]), 1e-5, f"{NAMES[i]} of {asked:03b}")


def strided_gradients():
    parts = tensors()
    shape = call(SMALL, parts).shape
    dense = torch.rand(shape, generator=torch.Generator().manual_seed(2)).to(DEVICE)
    one = torch.ones(1, device=DEVICE).expand(shape)  # as sum() leaves it: all strides are 0
    turned = dense.transpose(1, 2).contiguous().transpose(1, 2)
    for grad in (one, turned):
        assert not grad.is_contiguous()
        found = gradients_of(lambda *p: call(SMALL, p), parts, grad)
        compare(found, exact_gradients(SMALL, parts, grad.contiguous()), 1e-5, "a strided gradient")


def empty_calls():
    for batch, queries in ((0, 33), (2, 0), (0, 0)):
        parts = trained(tensors(batch=batch, queries=queries))
        output = call(SMALL, parts)
        output.sum().backward()
        assert output.shape == (batch, queries, 128)
        assert all(t.grad.shape == t.shape and not t.grad.any() for t in parts)


def points_that_count_for_nothing():
    value = torch.ones(1, 16, 1, 8, device=DEVICE)
    far = [(float("nan"), 0.5), (float("inf"), 0.5), (-3.2e38, 3e38), (1e9, 0.5), (0.5, 0.5)]
    parts = trained((value, torch.tensor(far, device=DEVICE).view(1, 5, 1, 1, 1, 2),
                     torch.ones(1, 5, 1, 1, 1, device=DEVICE)))
    call([(4, 4)], parts).sum().backward()
    of_value, of_locations, of_weights = (part.grad for part in parts)
    assert of_value.sum() == 8 and (of_value[0, [5, 6, 9, 10]] == 0.25).all()
    assert not of_locations.any() and of_weights.flatten().tolist() == [0, 0, 0, 0, 8]


def sizes_on_the_device_that_contradict_value():
    parts = tensors([(32, 32)], batch=1, outside=0)
    for sizes in ([(33, 32)], [(2**40, 2**40)], [(-3, 5)]):
        found = gradients_of(lambda *p: call_with_sizes_there(sizes, p), parts)
        assert found[1].isnan().all() and not found[0].any(), f"{sizes}"


def repeatable_or_refused():
    needs_a_gpu()
    parts = tensors(heads=3)
    torch.use_deterministic_algorithms(True)
    try:
        try:
            gradients_of(lambda *p: call(SMALL, p), parts)
        except RuntimeError as error:
            assert "same order" in str(error), error
        else:
            raise AssertionError("sums in any order where the same bits were asked for")
        frozen = [parts[0], *trained(parts[1:])]
        call(SMALL, frozen).sum().backward()  # gradients of points repeat in any case
    finally:
        torch.use_deterministic_algorithms(False)


def twice_is_refused_in_words():
    value, locations, weights = tensors()
    value.requires_grad_()
    (first,) = torch.autograd.grad(call(SMALL, (value, locations, weights)).square().sum(), value, create_graph=True)
    try:
        first.sum().backward()
    except RuntimeError as error:
        assert "second derivative" in str(error), error
    else:
        raise AssertionError("a second derivative was computed")


def types_of_autocast():
    """Values and weights in bf16, locations in fp32, as a training step under AMP has them."""
    parts = off_knots(SMALL, torch.float32)
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        found = gradients_of(lambda *p: call(SMALL, p), parts)
    assert all(gradient.dtype == torch.float32 for gradient in found)
    return f"{compare(found, exact_gradients(SMALL, parts), 4e-2, 'bf16'):.1e}"


CHECKS = (the_kernels_of_the_table, the_general_kernel, gradcheck, any_of_them, strided_gradients, empty_calls,
          points_that_count_for_nothing, sizes_on_the_device_that_contradict_value, repeatable_or_refused,
          twice_is_refused_in_words, types_of_autocast)
