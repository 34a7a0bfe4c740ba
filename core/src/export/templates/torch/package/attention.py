"""The operator: shapes as in Deformable DETR.

    value     [B, S, H, C]           S = sum of the levels' pixels
    locations [B, Q, H, L, P, 2]     (x, y), 0..1 inside the image
    weights   [B, Q, H, L, P]
    output    [B, Q, H * C]
"""

import warnings

import torch

from ._ops import add_op_namespace_prefix, ops

_TYPES = (torch.float32, torch.float16, torch.bfloat16)


def _planes(value, locations, levels):
    """Of each level: its pixels [B * H, C, h, w] and the points there [B * H, Q, P, 2], -1..1."""
    batch, _, heads, channels = value.shape
    for level, values in enumerate(value.split([h * w for h, w in levels], dim=1)):
        plane = values.flatten(2).transpose(1, 2).reshape(batch * heads, channels, *levels[level])
        yield plane, (2 * locations[:, :, :, level] - 1).transpose(1, 2).flatten(0, 1)


def reference(value, levels, locations, weights):
    """The same by grid_sample, for any type; differentiable, and slow."""
    batch, _, heads, channels = value.shape
    if value.numel() == 0 or locations.numel() == 0:  # shapes that grid_sample refuses
        return value.new_zeros(batch, locations.shape[1], heads * channels)
    sampled = [
        torch.nn.functional.grid_sample(
            plane, grid.to(plane.dtype), mode="bilinear", padding_mode="zeros", align_corners=False
        )
        for plane, grid in _planes(value, locations, levels)
    ]
    flat = weights.transpose(1, 2).flatten(3).flatten(0, 1).unsqueeze(1)
    summed = (torch.stack(sampled, dim=-2).flatten(-2) * flat).sum(-1)
    return summed.view(batch, heads * channels, -1).transpose(1, 2).contiguous()


def _gradients(grad, value, levels, locations, weights):
    """Of the reference, level by level, so that what has to be kept is of one level."""
    batch, _, heads, channels = value.shape
    if grad.numel() == 0 or locations.numel() == 0:  # shapes that grid_sample refuses
        return torch.zeros_like(value), torch.zeros_like(locations), torch.zeros_like(weights)
    # [B * H, C, Q, 1]
    outer = grad.view(batch, -1, heads, channels).permute(0, 2, 3, 1).flatten(0, 1).unsqueeze(-1)
    of_value, of_locations, of_weights = [], [], []
    for level, (plane, grid) in enumerate(_planes(value, locations, levels)):
        weight = weights[:, :, :, level].transpose(1, 2).flatten(0, 1).unsqueeze(1)
        sampled = torch.ops.aten.grid_sampler_2d(plane, grid, 0, 0, False)
        of_plane, of_grid = torch.ops.aten.grid_sampler_2d_backward(
            outer * weight, plane, grid, 0, 0, False, [True, True]
        )
        of_value.append(of_plane.view(batch, heads, channels, -1).permute(0, 3, 1, 2))
        of_locations.append(2 * of_grid.unflatten(0, (batch, heads)).transpose(1, 2))
        of_weights.append((outer * sampled).sum(1).unflatten(0, (batch, heads)).transpose(1, 2))
    return torch.cat(of_value, 1), torch.stack(of_locations, 3), torch.stack(of_weights, 3)


def _pairs(levels):
    return list(zip(levels[0::2], levels[1::2]))


@torch.library.register_fake(add_op_namespace_prefix("forward"))
def _(value, locations, weights, levels):
    return value.new_empty(value.shape[0], locations.shape[1], value.shape[2] * value.shape[3])


@torch.library.register_fake(add_op_namespace_prefix("forward_on_device"))
def _(value, shapes, starts, locations, weights):
    return value.new_empty(value.shape[0], locations.shape[1], value.shape[2] * value.shape[3])


# The backward pass is an operator of its own, so that compilers take it as it is.
@torch.library.custom_op(add_op_namespace_prefix("backward"), mutates_args=())
def _backward(
    grad: torch.Tensor,
    value: torch.Tensor,
    locations: torch.Tensor,
    weights: torch.Tensor,
    levels: list[int],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    # Sums in fp32, as the forward kernels have them.
    wide = [t.float() for t in (grad, value, locations, weights)]
    grads = _gradients(wide[0], wide[1], _pairs(levels), *wide[2:])
    return tuple(g.to(t.dtype).contiguous() for g, t in zip(grads, (value, locations, weights)))


@_backward.register_fake
def _(grad, value, locations, weights, levels):
    return tuple(torch.empty_like(t, memory_format=torch.contiguous_format) for t in (value, locations, weights))


def _setup_context(ctx, inputs, output):
    value, locations, weights, levels = inputs
    ctx.save_for_backward(value, locations, weights)
    ctx.levels = levels


def _differentiate(ctx, grad):
    warnings.warn(
        "@PACKAGE@: gradients come from grid_sample in PyTorch: they are right, and no faster "
        "than without this package",
        stacklevel=2,
    )
    return (*_backward(grad, *ctx.saved_tensors, list(ctx.levels)), None)


torch.library.register_autograd(
    add_op_namespace_prefix("forward"), _differentiate, setup_context=_setup_context
)


def _refuse(ctx, grad):
    raise RuntimeError("@PACKAGE@: there is no gradient for sizes on a GPU: give levels as a list")


torch.library.register_autograd(add_op_namespace_prefix("forward_on_device"), _refuse)


def _cast(value, locations, weights):
    """Types that kernels are for. Under autocast values and weights are narrow; locations stay
    wide, since half a type's digits of a coordinate are a part of a pixel."""
    device = value.device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else value.dtype
    if locations.dtype not in (dtype, torch.float32):
        locations = locations.float()
    return value.to(dtype), locations, weights.to(dtype)


# By what the operator `is_tuned` says.
_FORMS = ("general", "fixed")


def form(value, levels, locations, weights):
    """Which kind of kernel a call gets: "fixed", made for these sizes and types, or "general". Levels as of
    deformable_attention(); nothing is computed, and no GPU is waited for."""
    if isinstance(levels, torch.Tensor):
        if levels.device.type != "cpu":
            return "general"
        levels = levels.tolist()
    value, locations, weights = _cast(value, locations, weights)
    if value.dtype not in _TYPES:
        return "general"
    return _FORMS[ops.is_tuned(value, locations, weights, [size for pair in levels for size in pair])]


def is_tuned(value, levels, locations, weights):
    """Whether a call gets a kernel that was made for its sizes or its family: any form() but "general"."""
    return form(value, levels, locations, weights) != "general"


def deformable_attention(value, levels, locations, weights, starts=None):
    """`levels`: heights and widths as a list of pairs, or a tensor [L, 2]. A list, or a tensor on
    the CPU, takes the kernel that was made for these sizes. A tensor on a GPU stays there: a
    general kernel reads it, slower, since asking for its numbers would stop the stream; it has
    no gradient, and rows that read a level which does not lie in value are NaN. `starts` [L], the first pixel of each level, is for such a tensor alone.
    """
    value, locations, weights = _cast(value, locations, weights)
    on_device = isinstance(levels, torch.Tensor) and levels.device.type != "cpu"
    if on_device:
        if starts is None:
            sizes = levels.prod(1)
            starts = sizes.cumsum(0) - sizes
        return ops.forward_on_device(value, levels.long(), starts.long(), locations, weights)
    pairs = [tuple(pair) for pair in (levels.tolist() if isinstance(levels, torch.Tensor) else levels)]
    if value.dtype not in _TYPES:
        return reference(value, pairs, locations, weights)
    return ops.forward(value, locations, weights, [size for pair in pairs for size in pair])
