"""The operator: shapes as in Deformable DETR.

    value     [B, S, H, C]           S = sum of the levels' pixels
    locations [B, Q, H, L, P, 2]     (x, y), 0..1 inside the image
    weights   [B, Q, H, L, P]
    output    [B, Q, H * C]
"""

import torch

from . import autograd  # noqa: F401 - registers gradients, shapes and batches
from ._ops import ops

TYPES = (torch.float32, torch.float16, torch.bfloat16)


def reference(value, levels, locations, weights):
    """The same by grid_sample, for any type; differentiable, and slow."""
    batch, _, heads, channels = value.shape
    if value.numel() == 0 or locations.numel() == 0:  # shapes that grid_sample refuses
        return value.new_zeros(batch, locations.shape[1], heads * channels)
    sampled = []
    for level, values in enumerate(value.split([h * w for h, w in levels], dim=1)):
        plane = values.flatten(2).transpose(1, 2).reshape(batch * heads, channels, *levels[level])
        grid = (2 * locations[:, :, :, level] - 1).transpose(1, 2).flatten(0, 1)
        sampled.append(torch.nn.functional.grid_sample(
            plane, grid.to(plane.dtype), mode="bilinear", padding_mode="zeros", align_corners=False))
    flat = weights.transpose(1, 2).flatten(3).flatten(0, 1).unsqueeze(1)
    summed = (torch.stack(sampled, dim=-2).flatten(-2) * flat).sum(-1)
    return summed.view(batch, heads * channels, -1).transpose(1, 2).contiguous()


def autocast_type(device):
    """That of autocast on the kind of device; None outside."""
    if hasattr(torch, "get_autocast_dtype"):
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None
    if device == "cuda":
        return torch.get_autocast_gpu_dtype() if torch.is_autocast_enabled() else None
    return torch.get_autocast_cpu_dtype() if torch.is_autocast_cpu_enabled() else None


def _cast(value, locations, weights):
    """Types that kernels are for. Under autocast values and weights are narrow; locations stay
    wide, since half a type's digits of a coordinate are a part of a pixel."""
    dtype = autocast_type(value.device.type) or value.dtype
    if locations.dtype not in (dtype, torch.float32):
        locations = locations.float()
    return value.to(dtype), locations, weights.to(dtype)


def is_on_device(levels):
    return isinstance(levels, torch.Tensor) and levels.device.type != "cpu"


def flat(levels):
    """Heights and widths, one after the other."""
    pairs = levels.tolist() if isinstance(levels, torch.Tensor) else levels
    return [size for height, width in pairs for size in (height, width)]


FORMS = ("general", "fixed", "given", "stored")


def form(value, levels, locations, weights):
    """Which kind of kernel a call gets: "fixed", made for these sizes; "given", made for any sizes of this family
    (heads, channels, levels, points, types) that the host knows; "stored", the same for sizes on the GPU; or "general".
    Levels as of deformable_attention(); nothing is computed, and no GPU is waited for."""
    value, locations, weights = _cast(value, locations, weights)
    if value.dtype not in TYPES:
        return "general"
    if is_on_device(levels):
        return FORMS[ops.form_on_device(value, levels.long(), None, locations, weights)]
    return FORMS[ops.form(value, locations, weights, flat(levels))]


def is_tuned(value, levels, locations, weights):
    """Whether a call gets a kernel that was made for its sizes or its family: any form() but "general"."""
    return form(value, levels, locations, weights) != "general"


def form_of_gradients(value, levels, locations, weights):
    """The same of the kernel that computes the gradients; levels as a list."""
    value, locations, weights = _cast(value, locations, weights)
    return FORMS[ops.form_of_backward(value, locations, weights, flat(levels), False)]


def deformable_attention(value, levels, locations, weights, starts=None):
    """`levels`: heights and widths as a list of pairs, or a tensor [L, 2]. A tensor on a GPU stays there, and kernels
    read it: nothing waits for it. Where its sizes are not value's, rows are NaN, and nothing behind value is read.
    `starts` [L], the first pixel of each level, is for such a tensor whose levels do not lie one after another; the
    general kernel takes it. Gradients of value, locations and weights, any of them, of the first order."""
    value, locations, weights = _cast(value, locations, weights)
    if is_on_device(levels):
        starts = starts.long() if starts is not None else None
        return ops.forward_on_device(value, levels.long(), starts, locations, weights)
    if value.dtype not in TYPES:
        sizes = flat(levels)
        return reference(value, list(zip(sizes[0::2], sizes[1::2])), locations, weights)
    return ops.forward(value, locations, weights, flat(levels))
