"""PyTorch's own checks of operators, torch.compile, CUDA graphs, vmap, and export to ONNX."""

import pathlib
import tempfile

import torch

from . import DEVICE, SMALL, Skip, call, distance, exact, kernels, needs_a_gpu, require, shape_of, tensors, trained
from @PACKAGE@._ops import ops


def opcheck():
    if not hasattr(torch.library, "opcheck"):
        raise Skip("PyTorch before 2.4 has none")
    sizes = [size for level in SMALL for size in level]
    value, locations, weights = trained(tensors())
    shapes = torch.tensor(SMALL, device=DEVICE)
    pixels = shapes.prod(1)
    torch.library.opcheck(ops.forward.default, (value, locations, weights, sizes))
    for starts in (None, pixels.cumsum(0) - pixels):
        torch.library.opcheck(ops.forward_on_device.default, (value, shapes, starts, locations, weights))
    grad = torch.rand_like(call(SMALL, (value, locations, weights)).detach())
    plain = [part.detach() for part in (value, locations, weights)]
    for asked in (7, 2):
        # Sums in any order have other bits each time, which this check takes for another result.
        torch.library.opcheck(ops.backward.default, (grad, *plain, sizes, asked, False),
                              test_utils=("test_schema", "test_faketensor", "test_autograd_registration"))


def compiles_without_a_graph_break():
    parts = tensors()
    function = torch.compile(lambda v, l, w: call(SMALL, (v, l, w)) * 2, fullgraph=True)
    assert torch.equal(function(*parts), call(SMALL, parts) * 2)
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        assert torch.equal(function(*parts), call(SMALL, parts) * 2)


def compiles_a_training_step():
    step = torch.compile(lambda v, l, w: call(SMALL, (v, l, w)).square().sum(), fullgraph=True)
    compiled, eager = trained(tensors()), trained(tensors())
    step(*compiled).backward()
    call(SMALL, eager).square().sum().backward()
    for a, b in zip(compiled, eager):
        require(distance(a.grad, b.grad), 1e-5, "a compiled step")


def compiles_for_any_batch_and_queries():
    sizes = torch.tensor(SMALL, device=DEVICE)
    function = torch.compile(lambda v, s, l, w: call(s, (v, l, w)) * 2, fullgraph=True, dynamic=True)
    for batch, queries in ((2, 33), (3, 40), (5, 7)):
        value, locations, weights = tensors(batch=batch, queries=queries)
        assert torch.equal(function(value, sizes, locations, weights), call(SMALL, (value, locations, weights)) * 2)


def cuda_graph():
    needs_a_gpu()
    shapes = [shape_of(k) for k in kernels("forward")[:3]] + [{"levels": SMALL}]
    for shape in shapes:
        parts = tensors(**shape)
        for sizes in (shape["levels"], torch.tensor(shape["levels"], device=DEVICE)):
            expected = call(sizes, parts)  # also finds out how large the grid may be
            graph = torch.cuda.CUDAGraph()
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                output = call(sizes, parts)
            output.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert torch.equal(output, expected)


def cuda_graph_of_a_training_step():
    needs_a_gpu()
    parts = trained(tensors())
    step = lambda: torch.autograd.grad(call(SMALL, parts).square().sum(), parts)  # noqa: E731
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        expected = step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = step()
    graph.replay()
    torch.cuda.synchronize()
    for a, b in zip(found, expected):
        require(distance(a, b), 1e-5, "a step in a graph")


def vmap():
    if not hasattr(torch.library, "register_vmap"):
        raise Skip("PyTorch before 2.5 has no rules for it")
    parts = [torch.stack([a, b]) for a, b in zip(tensors(seed=1), tensors(seed=2))]
    found = torch.vmap(lambda v, l, w: call(SMALL, (v, l, w)))(*parts)
    for i in range(2):
        assert torch.equal(found[i], call(SMALL, [part[i] for part in parts]))
    value = parts[0][0]
    found = torch.vmap(lambda l, w: call(SMALL, (value, l, w)))(*parts[1:])
    assert torch.equal(found[1], call(SMALL, (value, parts[1][1], parts[2][1])))


class Attention(torch.nn.Module):
    def forward(self, value, locations, weights):
        return call(SMALL, (value, locations, weights))


def error_in_onnxruntime(model, names, make, truth):
    """The largest relative error of an exported model with these inputs: make(batch, queries) gives them, and
    truth(inputs) the output. Axes 0 and 1 are batch and queries, of value the batch alone."""
    try:
        import onnx
        import onnxruntime
    except ImportError as missing:
        raise Skip(f"no {missing.name}") from missing
    from @PACKAGE@.onnx import DOMAIN, export

    axes = {name: {0: "batch"} if name == "value" else {0: "batch", 1: "queries"} for name in names}
    with tempfile.TemporaryDirectory() as folder:
        file = str(pathlib.Path(folder) / "model.onnx")
        export(model, make(2, 33), file, input_names=names, output_names=["output"], dynamic_axes=axes)
        exported = onnx.load(file)
        assert [node.op_type for node in exported.graph.node if node.domain == DOMAIN], "no node of the operator"
        onnx.checker.check_model(exported)
        session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        worst = 0
        for batch, queries in ((2, 33), (3, 8)):
            given = make(batch, queries)
            (output,) = session.run(None, {name: part.numpy() for name, part in zip(names, given)})
            worst = max(worst, require(distance(torch.from_numpy(output), truth(given)), 2e-6, "onnxruntime"))
    return f"{worst:.1e}"


def onnx_on_the_cpu():
    """The exported model in onnxruntime against the operator in float64."""
    return error_in_onnxruntime(
        Attention(), ["value", "locations", "weights"],
        lambda batch, queries: tensors(device="cpu", heads=3, channels=5, outside=0.5, batch=batch, queries=queries),
        lambda given: exact(given[0], SMALL, *given[1:]))


CHECKS = (opcheck, compiles_without_a_graph_break, compiles_a_training_step, compiles_for_any_batch_and_queries,
          cuda_graph, cuda_graph_of_a_training_step, vmap, onnx_on_the_cpu)
