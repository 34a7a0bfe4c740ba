"""What a model's layer computes before the sampling, in PyTorch, and then a kernel that gets locations and weights.

The kernel is that of the package msda_ops, which `msda export --format torch` writes (docs/export.md); without the
package on the interpreter's path the arm is skipped. The output is returned, so a copy of it is a part of the time.
"""
import importlib.util

import torch


def front_end(spatial_shapes, reference_points, offsets, logits, scale):
    """Locations [B, Q, H, L, P, 2] and weights [B, Q, H, L, P] as Deformable DETR, its followers and BEVFormer make
    them: in the types that PyTorch promotes to, fp32 where reference points are."""
    weights = logits.flatten(3).softmax(-1).view(logits.shape)
    levels, points = offsets.shape[3:5]
    count = reference_points.shape[2]
    sizes = torch.stack([spatial_shapes[:, 1], spatial_shapes[:, 0]], -1)
    if count not in (1, levels):  # anchors, of which points take one in turn
        apart = offsets.unflatten(4, (points // count, count)) / sizes[:, None, None]
        return (reference_points[:, :, None, None, None] + apart).flatten(4, 5), weights
    reference = reference_points[:, :, None, :, None]  # [B, Q, 1, L or 1, 1, K]
    if reference_points.shape[-1] == 4:
        return reference[..., :2] + offsets / points * reference[..., 2:] * scale, weights
    return reference + offsets / sizes[:, None], weights


compiled_front_end = torch.compile(front_end, dynamic=False)


def forward(value, spatial_shapes, spatial_shapes_list, reference_points, offsets, logits, padding_mask=None,
            scale=0.5, compiled=False):
    """The output [B, Q, H*C]. `compiled`: the front end by torch.compile."""
    from msda_ops import deformable_attention

    if padding_mask is not None:
        value = value.masked_fill(padding_mask[:, :, None, None], 0)
    make = compiled_front_end if compiled else front_end
    locations, weights = make(spatial_shapes, reference_points, offsets, logits, scale)
    return deformable_attention(value, spatial_shapes_list, locations, weights)


def refuses(problem):
    """Why the arm is not for a problem, or None."""
    if importlib.util.find_spec("msda_ops") is None:
        return "there is no package msda_ops (docs/models.md)"
    if len(set(problem["points_per_level"])) > 1:
        return "its kernel gets the same number of points on each level"
    return None


forward.refuses = refuses
