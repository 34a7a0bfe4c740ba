"""Times of the operator's calls from PyTorch, workspaces and clearing included: uniform points, in CUDA graphs."""

import statistics

import torch

from . import DEVICE, call, distance, exact, kernels, needs_a_gpu, runs_here, shape_of, tensors
from .models import milliseconds
from @PACKAGE@ import form
from @PACKAGE@._ops import ops
from @PACKAGE@.attention import FORMS, flat

CALLS = 20  # in a graph
ALL = 7  # gradients: of value, locations and weights
TYPES = (["fp16", "fp16"], ["bf16", "fp32"])  # of values and locations: inference, and training under AMP


def other_pyramid(levels):
    """Sizes that no kernel was made for."""
    (height, width), found = levels[0], []
    height, width = max(height - 6, 2), max(width - 6, 2)
    for _ in levels:
        found.append((height, width))
        height, width = (height + 1) // 2, (width + 1) // 2
    return found


def microseconds(function, replays=15):
    """Of one call."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()  # also finds out how large the grid may be
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            function()
    times = [milliseconds(graph.replay) for _ in range(replays + 3)][3:]
    return 1e3 * statistics.median(times) / CALLS


def times_of(levels, parts):
    """Microseconds by the form of the kernel and for gradients of all three tensors, and errors: relative L2 against
    float64, of kernels of the table the worst one."""
    value, locations, weights = parts
    sizes, numbers = torch.tensor(levels, device=DEVICE), flat(levels)
    pixels = sizes.prod(1)
    starts = pixels.cumsum(0) - pixels  # calls with these get the general kernel
    truth, errors, said = exact(value, levels, locations, weights), [], {}
    for given in (levels, sizes):
        kind = form(value, given, locations, weights)
        if kind != "general":
            errors.append(distance(call(given, parts), truth))
            said[kind] = microseconds(lambda given=given: call(given, parts))
    general = lambda: ops.forward_on_device(value, sizes, starts, locations, weights)  # noqa: E731
    if errors:
        said["error"] = max(errors)
    said.update(general=microseconds(general), general_error=distance(general(), truth))
    grad = torch.rand_like(general())
    del truth
    for name, repeats in (("gradients", False), ("gradients_repeatable", True)):
        number = ops.form_of_backward(value, locations, weights, numbers, repeats)
        if number >= 0 and FORMS[number] != "general":
            said[name] = microseconds(lambda r=repeats: ops.backward(grad, *parts, numbers, ALL, r))
    said["gradients_general"] = microseconds(
        lambda: ops.backward_on_device(grad, value, sizes, starts, locations, weights, ALL, False))
    return said


def calls_of_the_table():
    needs_a_gpu()
    calls = []
    for kernel in kernels("forward"):
        if kernel["form"] != "fixed" or kernel["types"][:2] not in TYPES or not runs_here(kernel):
            continue
        shape = shape_of(kernel)
        for levels in (shape["levels"], other_pyramid(shape["levels"])):
            parts = tensors(**{**shape, "levels": levels}, batch=kernel["batch"], outside=0,
                            queries=kernel["queries"] // kernel["batch"])
            calls.append({"problem": kernel["problem"], "levels": " ".join(f"{h}x{w}" for h, w in levels),
                          "types": kernel["types"][:2], **times_of(levels, parts)})
    return {"calls": calls}


CHECKS = (calls_of_the_table,)
