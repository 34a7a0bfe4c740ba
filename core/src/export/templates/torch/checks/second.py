"""On a second GPU, while the first one is current: results, gradients, streams, CUDA graphs, and both GPUs at once."""

import copy
import functools

import torch

from . import SMALL, Skip, call, distance, fused, kernels, require, shape_of, tensors, trained
from .fused import shape_of_fused
from .modules import MSDeformAttn, imported, rand, references_of, spread, WIDTH
from @PACKAGE@ import patched

FIRST, SECOND = torch.device("cuda:0"), torch.device("cuda:1")


def on_the_second(check):
    @functools.wraps(check)
    def run():
        if torch.cuda.device_count() < 2:
            raise Skip("one GPU, or none")
        torch.cuda.set_device(FIRST)
        said = check()
        assert torch.cuda.current_device() == 0, "a call changed the current GPU"
        return said

    return run


def _moved(parts, device=SECOND):
    return [part.detach().to(device) for part in parts]


def _calls():
    """A name, tensors, and what is called with them: each kernel of the tables, and the general ones; sizes as a list
    and on the GPU."""
    calls = [(k["name"], shape_of(k), tensors, call) for k in kernels("forward")]
    for k in kernels("fused"):
        calls.append((k["name"], shape_of_fused(k), fused.tensors, functools.partial(_call_fused, k)))
    calls.append(("general", {"levels": SMALL}, tensors, call))
    calls.append(("general fused", {"levels": SMALL}, fused.tensors, fused.call))
    for name, shape, make, function in calls:
        parts, levels = make(**shape, batch=1, device=FIRST), shape["levels"]
        yield name, parts, functools.partial(function, levels)
        yield f"{name}, sizes there", parts, lambda given, levels=levels, function=function: function(
            torch.tensor(levels, device=given[0].device), given)


def _call_fused(kernel, levels, given):
    return fused.call(levels, given, kernel["references"]["anchors"], **fused.rest_of(kernel, given[0]))


@on_the_second
def results_are_those_of_the_first():
    for name, parts, function in _calls():
        output = function(_moved(parts))
        assert output.device == SECOND, name
        assert torch.equal(output.cpu(), function(parts).cpu()), f"{name}: other bits"


def _step(function, parts):
    parts = trained(parts)
    function(parts).float().square().sum().backward()
    return [part.grad for part in parts]


@on_the_second
def gradients_are_those_of_the_first():
    worst = 0
    for name, parts, function in _calls():
        for a, b in zip(_step(function, _moved(parts)), _step(function, parts)):
            assert a.device == SECOND, name
            # Sums in any order of 16-bit numbers.
            worst = max(worst, require(distance(a.cpu(), b.cpu()), 1e-5 if a.dtype == torch.float32 else 1e-3, name))
    return f"{worst:.1e}"


@on_the_second
def a_stream_of_the_second():
    parts = _moved(tensors(device=FIRST))
    expected, gradients = call(SMALL, parts), _step(lambda p: call(SMALL, p), parts)
    torch.cuda.synchronize(SECOND)
    stream = torch.cuda.Stream(SECOND)
    with torch.cuda.stream(stream):  # makes the second GPU current inside
        output, found = call(SMALL, parts), _step(lambda p: call(SMALL, p), parts)
    stream.synchronize()
    assert torch.equal(output, expected)
    for a, b in zip(found, gradients):
        require(distance(a, b), 1e-5, "gradients in a stream")


@on_the_second
def a_graph_of_the_second():
    given = trained(_moved(tensors(device=FIRST)))
    step = lambda: torch.autograd.grad(call(SMALL, given).square().sum(), given)  # noqa: E731
    with torch.cuda.device(SECOND):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            output, expected = call(SMALL, given).detach(), step()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            again, found = call(SMALL, given).detach(), step()
    graph.replay()
    torch.cuda.synchronize(SECOND)
    assert torch.equal(again, output)
    for a, b in zip(found, expected):
        require(distance(a, b), 1e-5, "a step in a graph")


@on_the_second
def both_at_once():
    """Calls that nobody waits for, on each GPU in turn."""
    first = tensors(queries=999, device=FIRST)
    second = _moved(first)
    expected = call(SMALL, first).cpu()
    outputs = [call(SMALL, parts) for _ in range(20) for parts in (first, second)]
    assert all(torch.equal(output.cpu(), expected) for output in outputs)


@on_the_second
def tensors_on_two_gpus_are_refused():
    value, locations, weights = tensors(device=FIRST)
    try:
        call(SMALL, (value, locations.to(SECOND), weights))
    except RuntimeError as error:
        assert "several devices" in str(error), error
    else:
        raise AssertionError("tensors on two GPUs were taken")


@on_the_second
def modules_in_threads():
    """A module and its copy on the second GPU inside patched(), a thread for each, as data-parallel training has it."""
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=FIRST)
    given = [rand(2, 9, WIDTH, seed=2), references_of(2, 9, len(SMALL), 2), rand(2, pixels, WIDTH), shapes, None]
    with imported():
        modules = [spread(MSDeformAttn()).to(FIRST)]
        modules.append(copy.deepcopy(modules[0]).to(SECOND))
        there = [part.to(SECOND) if part is not None else None for part in given]
        expected = modules[0](*given)
        with patched():
            outputs = torch.nn.parallel.parallel_apply(modules, [tuple(given), tuple(there)], devices=[0, 1])
            for output in outputs:
                output.square().sum().backward()
        assert [output.device for output in outputs] == [FIRST, SECOND]
        for output in outputs:
            require(distance(output.to(FIRST), expected), 1e-5, "a module on each GPU")
        for a, b in zip(modules[0].parameters(), modules[1].parameters()):
            require(distance(b.grad.to(FIRST), a.grad), 1e-4, "a parameter's gradient")


CHECKS = (results_are_those_of_the_first, gradients_are_those_of_the_first, a_stream_of_the_second,
          a_graph_of_the_second, both_at_once, tensors_on_two_gpus_are_refused, modules_in_threads)
