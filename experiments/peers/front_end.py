"""What a model's layer computes before the sampling, in PyTorch, and then a kernel that gets locations and weights.

The kernel is that of the package msda_ops, which `msda export --format torch` writes (docs/export.md); without the
package on the interpreter's path the arms are skipped. Outputs are returned, so a copy of them is a part of the time.
"""
import importlib.util

import torch


def front_end(spatial_shapes, reference_points, offsets, logits, anchors, scale):
    """Locations [B, Q, H, L, P, 2] and weights [B, Q, H, L, P] as Deformable DETR, its followers and BEVFormer make
    them: in the types that PyTorch promotes to, fp32 where reference points are."""
    weights = logits.flatten(3).softmax(-1).view(logits.shape)
    levels, points = offsets.shape[3:5]
    count = reference_points.shape[2]
    sizes = torch.stack([spatial_shapes[:, 1], spatial_shapes[:, 0]], -1)
    if anchors > 1:  # of which points take one in turn
        apart = offsets.unflatten(4, (points // count, count)) / sizes[:, None, None]
        return (reference_points[:, :, None, None, None] + apart).flatten(4, 5), weights
    reference = reference_points[:, :, None, :, None]  # [B, Q, 1, L or 1, 1, K]
    if reference_points.shape[-1] == 4:
        return reference[..., :2] + offsets / points * reference[..., 2:] * scale, weights
    return reference + offsets / sizes[:, None], weights


compiled_front_end = torch.compile(front_end, dynamic=False)


def forward(value, spatial_shapes, spatial_shapes_list, reference_points, offsets, logits, padding_mask=None,
            anchors=0, scale=0.5, compiled=False):
    """The output [B, Q, H*C]. `compiled`: the front end by torch.compile."""
    from msda_ops import deformable_attention

    if padding_mask is not None:
        value = value.masked_fill(padding_mask[:, :, None, None], 0)
    make = compiled_front_end if compiled else front_end
    locations, weights = make(spatial_shapes, reference_points, offsets, logits, anchors, scale)
    return deformable_attention(value, spatial_shapes_list, locations, weights)


def chain(spatial_shapes, reference_points, offsets, weights, of_locations, of_weights, asked, anchors, scale):
    """The gradients of offsets, logits and reference points, as autograd takes them through front_end()."""
    levels, points = offsets.shape[3:5]
    count, coordinates = reference_points.shape[2:]
    of_offsets = of_logits = of_references = None
    if asked[0]:
        if coordinates == 4:
            box = reference_points[:, :, None, :, None, 2:]
            of_offsets = (of_locations * box * scale / points).to(offsets.dtype)
        else:
            sizes = torch.stack([spatial_shapes[:, 1], spatial_shapes[:, 0]], -1)
            of_offsets = of_locations.to(offsets.dtype) / sizes[:, None]
    if asked[1]:
        flat = torch._softmax_backward_data(of_weights.flatten(3), weights.flatten(3), -1, weights.dtype)
        of_logits = flat.view(weights.shape)
    if asked[2]:
        def total(numbers):  # over heads, and the points of a reference
            if anchors > 1:
                return numbers.unflatten(4, (points // count, count)).sum((2, 3, 4))
            return numbers.sum((2, 3, 4)).unsqueeze(2) if count == 1 else numbers.sum((2, 4))

        of_references = total(of_locations)
        if coordinates == 4:
            of_references = torch.cat([of_references, total(of_locations * offsets / points * scale)], -1)
    return of_offsets, of_logits, of_references


compiled_chain = torch.compile(chain, dynamic=False)


def points(spatial_shapes, reference_points, offsets, logits, anchors=0, scale=0.5, compiled=False):
    """What a forward pass has left for the backward pass: the time of it is not in that of the gradients."""
    return front_end(spatial_shapes, reference_points, offsets, logits, anchors, scale)


def backward(value, spatial_shapes, spatial_shapes_list, reference_points, offsets, logits, grad_output,
             grad_value=None, grad_offsets=None, grad_logits=None, grad_reference_points=None, anchors=0,
             scale=0.5, compiled=False, prepared=None):
    """Writes the gradients that are asked for. `prepared`: locations and weights. `compiled`: the way back through the
    front end by torch.compile."""
    from msda_ops._ops import ops

    locations, weights = prepared
    chained = (grad_offsets, grad_logits, grad_reference_points)
    of_points = any(tensor is not None for tensor in chained)
    asked = (1 if grad_value is not None else 0) + (6 if of_points else 0)
    sizes = [extent for size in spatial_shapes_list for extent in size]
    of_value, of_locations, of_weights = ops.backward(grad_output, value, locations, weights, sizes, asked, False)
    if grad_value is not None:
        grad_value.copy_(of_value)
    if not of_points:
        return
    make = compiled_chain if compiled else chain
    gradients = make(spatial_shapes, reference_points, offsets, weights, of_locations, of_weights,
                     tuple(tensor is not None for tensor in chained), anchors, scale)
    for to, gradient in zip(chained, gradients):
        if to is not None:
            to.copy_(gradient.view(to.shape))


def refuses(problem):
    """Why the arm is not for a problem, or None."""
    if importlib.util.find_spec("msda_ops") is None:
        return "there is no package msda_ops (docs/models.md)"
    if len(set(problem["points_per_level"])) > 1:
        return "its kernel gets the same number of points on each level"
    if len(set(problem["box_parts"])) > 1:
        return "its points move by the same part of a box"
    return None


forward.refuses = refuses
backward.refuses = refuses
backward.prepare = points
