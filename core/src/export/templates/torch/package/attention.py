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


def reference(value, levels, locations, weights):
    """The same by grid_sample, for any type; differentiable, and slow."""
    batch, _, heads, channels = value.shape
    queries, points = locations.shape[1], locations.shape[4]
    grids = 2 * locations - 1
    sampled = []
    for level, values in enumerate(value.split([h * w for h, w in levels], dim=1)):
        height, width = levels[level]
        plane = values.flatten(2).transpose(1, 2).reshape(batch * heads, channels, height, width)
        grid = grids[:, :, :, level].transpose(1, 2).flatten(0, 1)
        sampled.append(
            torch.nn.functional.grid_sample(
                plane, grid.to(plane.dtype), mode="bilinear", padding_mode="zeros", align_corners=False
            )
        )
    flat = weights.transpose(1, 2).reshape(batch * heads, 1, queries, len(levels) * points)
    summed = (torch.stack(sampled, dim=-2).flatten(-2) * flat).sum(-1)
    return summed.view(batch, heads * channels, queries).transpose(1, 2).contiguous()


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
    inputs = [t.detach().float().requires_grad_() for t in (value, locations, weights)]
    with torch.enable_grad(), torch.autocast(value.device.type, enabled=False):
        output = reference(inputs[0], _pairs(levels), inputs[1], inputs[2])
        grads = torch.autograd.grad(output, inputs, grad.float())
    return tuple(g.to(t.dtype) for g, t in zip(grads, (value, locations, weights)))


@_backward.register_fake
def _(grad, value, locations, weights, levels):
    return tuple(torch.empty_like(t) for t in (value, locations, weights))


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


def is_tuned(value, levels, locations, weights):
    """Whether there is a kernel for these sizes and types; levels as a list of pairs."""
    value, locations, weights = _cast(value, locations, weights)
    return bool(ops.is_tuned(value, locations, weights, [size for pair in levels for size in pair]))


def deformable_attention(value, levels, locations, weights, starts=None):
    """`levels`: heights and widths as a list of pairs, or a tensor [L, 2]. A list, or a tensor on
    the CPU, takes the kernel that was made for these sizes. A tensor on a GPU stays there: a
    general kernel reads it, slower, since asking for its numbers would stop the stream; it has
    no gradient. `starts` [L], the first pixel of each level, is for such a tensor alone.
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
