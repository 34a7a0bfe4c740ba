"""Export to ONNX: the operator as a node of its own, with a body of standard operators behind it.

    from @PACKAGE@.onnx import export

    export(model, (images,), "model.onnx")                # torch.onnx.export, and what it needs

A node @PACKAGE@::MultiScaleDeformableAttention has the inputs value [B, S, H, C], locations [B, Q, H, L, P, 2] and
weights [B, Q, H, L, P], the attribute `levels` (heights and widths, one after the other), and the output
[B, Q, H * C]. A runtime that knows the node runs it; every other one, as onnxruntime, takes the body, a function of the
model with GridSample in it. Shape inference follows the body."""

import torch

from ._ops import add_op_namespace_prefix

DOMAIN = "@PACKAGE@"
OPERATOR = "MultiScaleDeformableAttention"
OPSET = 20  # whose GridSample samples "linear"


def _symbolic(g, value, locations, weights, levels):
    """Of the exporter that traces TorchScript."""
    from torch.onnx.symbolic_helper import _get_tensor_sizes, _maybe_get_const

    output = g.op(f"{DOMAIN}::{OPERATOR}", value, locations, weights, levels_i=_maybe_get_const(levels, "is"))
    sizes, queries = _get_tensor_sizes(value), _get_tensor_sizes(locations)
    if sizes and queries and None not in (sizes[2], sizes[3]):
        output.setType(value.type().with_sizes([sizes[0], queries[1], sizes[2] * sizes[3]]))
    return output


class _Body:
    """Nodes of the function, named in the order in which they are made."""

    def __init__(self):
        self.nodes, self.count = [], 0

    def add(self, operator, *inputs, **attributes):
        from onnx import helper

        self.count += 1
        name = f"t{self.count}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def integers(self, *values):
        return self.add("Constant", value_ints=list(values))

    def number(self, value):
        return self.add("Constant", value_float=value)

    def slice(self, tensor, first, last, axis):
        return self.add("Slice", tensor, self.integers(first), self.integers(last), self.integers(axis))

    def size(self, tensor, axis):
        return self.add("Shape", tensor, start=axis, end=axis + 1)

    def reshape(self, tensor, *sizes):
        """Sizes are numbers, or the names of tensors with one."""
        parts = [size if isinstance(size, str) else self.integers(size) for size in sizes]
        return self.add("Reshape", tensor, self.add("Concat", *parts, axis=0), allowzero=1)

    def product(self, *names):
        result = names[0]
        for name in names[1:]:
            result = self.add("Mul", result, name)
        return result


def _level(body, index, height, width, first):
    """What the points of a level sample: [B * H, C, Q, P]."""
    b, h, c, q, p = (body.size("value", 0), body.size("value", 2), body.size("value", 3), body.size("locations", 1),
                     body.size("locations", 4))
    planes = body.product(b, h)
    pixels = body.add("Transpose", body.slice("value", first, first + height * width, 1), perm=[0, 2, 3, 1])
    plane = body.reshape(pixels, planes, c, height, width)
    points = body.slice("locations", index, index + 1, 3)  # [B, Q, H, 1, P, 2]
    points = body.add("Transpose", points, perm=[0, 2, 1, 3, 4, 5])
    grid = body.add("CastLike", body.reshape(points, planes, q, p, 2), "value")
    two, one = (body.add("CastLike", body.number(number), "value") for number in (2.0, 1.0))
    grid = body.add("Sub", body.add("Mul", grid, two), one)
    return body.add("GridSample", plane, grid, mode="linear", padding_mode="zeros", align_corners=0)


def function(levels):
    """The node's body for a pyramid, as an onnx.FunctionProto."""
    from onnx import helper

    body = _Body()
    sampled, first = [], 0
    for index, (height, width) in enumerate(zip(levels[0::2], levels[1::2])):
        sampled.append(_level(body, index, height, width, first))
        first += height * width
    b, h, c, q = (body.size("value", 0), body.size("value", 2), body.size("value", 3), body.size("locations", 1))
    weights = body.add("Transpose", "weights", perm=[0, 2, 1, 3, 4])  # [B, H, Q, L, P]
    taps = body.product(body.size("weights", 3), body.size("weights", 4))
    weights = body.add("CastLike", body.reshape(weights, body.product(b, h), 1, q, taps), "value")
    weighted = body.add("Mul", body.add("Concat", *sampled, axis=3), weights)
    summed = body.add("ReduceSum", weighted, body.integers(3), keepdims=0)  # [B * H, C, Q]
    rows = body.add("Transpose", body.reshape(summed, b, h, c, q), perm=[0, 3, 1, 2])
    body.nodes.append(helper.make_node("Reshape", [rows, body.add("Concat", b, q, body.product(h, c), axis=0)],
                                       ["output"], allowzero=1))
    return helper.make_function(DOMAIN, _name(levels), ["value", "locations", "weights"], ["output"], body.nodes,
                                [helper.make_opsetid("", OPSET)])


def _name(levels):
    """Functions have no attributes that shapes depend on: each pyramid has one of its own."""
    return OPERATOR + "_" + "_".join(map(str, levels))


def add_functions(model):
    """Gives a model's nodes their bodies: nodes of an onnx.ModelProto get the name of their pyramid's function, with
    the attribute `levels` as it was. Returns the model."""
    from onnx import helper

    known = {(f.domain, f.name) for f in model.functions}
    for node in model.graph.node:
        if node.domain != DOMAIN or not node.op_type.startswith(OPERATOR):
            continue
        levels = next(list(attribute.ints) for attribute in node.attribute if attribute.name == "levels")
        node.op_type = _name(levels)
        if (DOMAIN, node.op_type) not in known:
            known.add((DOMAIN, node.op_type))
            model.functions.append(_with_levels(function(levels)))
    for domain, version in ((DOMAIN, 1), ("", OPSET)):
        found = [opset for opset in model.opset_import if opset.domain == domain]
        if not found:
            model.opset_import.append(helper.make_opsetid(domain, version))
        elif found[0].version < version:
            raise ValueError(f"{DOMAIN}: the model is of opset {found[0].version}: export it with opset {OPSET}")
    return model


def _with_levels(body):
    body.attribute.append("levels")
    return body


def export(model, inputs, file, **options):
    """torch.onnx.export for models that use the operator, called by themselves or inside patched(). Options are those
    of torch.onnx.export."""
    import onnx

    torch.onnx.register_custom_op_symbolic(add_op_namespace_prefix("forward"), _symbolic, OPSET)
    options = {"opset_version": OPSET, "dynamo": False, **options}
    try:
        torch.onnx.export(model, inputs, file, custom_opsets={DOMAIN: 1}, **options)
    finally:
        torch.onnx.unregister_custom_op_symbolic(add_op_namespace_prefix("forward"), OPSET)
    onnx.save(add_functions(onnx.load(file)), file)
