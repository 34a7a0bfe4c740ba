"""The operator together with what models compute before it.

    value      [B, S, H, C]
    references [B, Q, R, 2 or 4]     (x, y), and width and height of a box, 0..1 inside the image
    offsets    [B, Q, H, L, P, 2]    in pixels of the level, or in parts of the box
    logits     [B, Q, H, L, P], or [B, Q, H, L * P]
    output     [B, Q, H * C]

Weights are the softmax of a row's logits. A point is at r.xy + o / (W_l, H_l), or at r.xy + o / P * r.wh / 2 where a
reference has a box. Points and the softmax are computed in fp32 or finer.
"""

import warnings

import torch

from ._ops import ops
from .attention import FORMS, TYPES, autocast_type, deformable_attention, flat, is_on_device
from .registration import (bits, differentiate_by, fake, fake_gradients, fake_output, fold_batches, found,
                           has_to_repeat, may_only_warn, refuse)


def points_of(levels, references, offsets, logits, anchors=False):
    """Locations and weights in PyTorch: what the operator computes inside. Levels as a list of pairs."""
    dtype = torch.promote_types(offsets.dtype, torch.float32)
    references, offsets = references.to(dtype), offsets.to(dtype)
    weights = logits.reshape(offsets.shape[:-1]).to(dtype).flatten(3).softmax(-1).view(offsets.shape[:-1])
    count = _anchor_count(references, offsets, anchors)
    if count == 0:
        own = references[:, :, None, :, None]
    else:
        own = references[:, :, [p % count for p in range(offsets.shape[4])]][:, :, None, None]
    if references.shape[-1] == 4:
        return own[..., :2] + offsets / offsets.shape[4] * own[..., 2:] * 0.5, weights
    sizes = offsets.new_tensor([(width, height) for height, width in levels])
    return own + offsets / sizes[:, None], weights


def _anchor_count(references, offsets, anchors):
    """How many references of a query are for all levels; 0: each level has its own."""
    count, levels = references.shape[2], offsets.shape[3]
    if anchors or (count == 1 and levels != 1):
        return count
    if count != levels:
        raise ValueError(f"@PACKAGE@: {count} reference points of a query for {levels} levels: one for each, one for "
                         "all, or with anchors=True some for all")
    return 0


def _prepared(value, references, offsets, logits, anchors):
    """Types that kernels are for. Under autocast values are narrow; what is not as narrow stays as it is."""
    dtype = autocast_type(value.device.type) or value.dtype
    offsets, logits = (part if part.dtype == dtype else part.float() for part in (offsets, logits))
    count = _anchor_count(references, offsets, anchors)
    return value.to(dtype), references.float(), offsets, logits.reshape(offsets.shape[:-1]), count


def fused_attention(value, levels, references, offsets, logits, anchors=False, padding_mask=None):
    """`levels` as of deformable_attention(): a list of pairs, or a tensor [L, 2], which kernels read where it is on a
    GPU. A query has a reference for each level, or one for all; with `anchors` it has R for all levels, of which point
    p takes number p % R, as BEVFormer's do. `padding_mask` [B, S] is true where a pixel of value counts as zero.
    Gradients of value, references, offsets and logits, any of them, of the first order."""
    if padding_mask is not None:
        value = value.masked_fill(padding_mask[..., None, None], 0.0)
    is_known = (autocast_type(value.device.type) or value.dtype) in TYPES
    if not is_known or torch.onnx.is_in_onnx_export():
        pairs = flat(levels)
        pairs = list(zip(pairs[0::2], pairs[1::2]))
        locations, weights = points_of(pairs, references, offsets, logits, anchors)
        return deformable_attention(value, pairs, locations if is_known else locations.to(value.dtype), weights)
    parts = _prepared(value, references, offsets, logits, anchors)
    if is_on_device(levels):
        return ops.fused_on_device(parts[0], levels.long(), *parts[1:])
    return ops.fused(*parts[:4], flat(levels), parts[4])


def form_of_fused(value, levels, references, offsets, logits, anchors=False):
    """Which kind of kernel a call of fused_attention() gets, see form(). "general": a kernel makes locations and
    weights in memory, and the one that form() names for these reads them."""
    parts = _prepared(value, references, offsets, logits, anchors)
    if parts[0].dtype not in TYPES:
        return "general"
    if is_on_device(levels):
        return FORMS[ops.form_of_fused_on_device(parts[0], levels.long(), *parts[1:])]
    return FORMS[ops.form_of_fused(*parts[:4], flat(levels), parts[4])]


# --- Shapes ---------------------------------------------------------------------------------------


@fake("fused")
def _(value, references, offsets, logits, levels, anchors):
    return fake_output(value, offsets)


@fake("fused_on_device")
def _(value, shapes, references, offsets, logits, anchors):
    return fake_output(value, offsets)


@fake("fused_backward")
def _(grad, value, references, offsets, logits, levels, anchors, asked, repeatable):
    return fake_gradients((value, references, offsets, logits), asked)


@fake("fused_backward_on_device")
def _(grad, value, shapes, references, offsets, logits, anchors, asked, repeatable):
    return fake_gradients((value, references, offsets, logits), asked)


# --- Gradients ------------------------------------------------------------------------------------


def _gradients(run, value, asked):
    """run(repeatable); where a warning will do, and no kernel repeats, warns and takes any kernel."""
    if not has_to_repeat(asked):
        return run(False)
    if not may_only_warn():
        return run(True)
    if type(value) is not torch.Tensor:  # a tracer's
        return run(False)
    try:
        return run(True)
    except RuntimeError as error:
        if "same order" not in str(error):
            raise
        warnings.warn(str(error), stacklevel=2)
        return run(False)


def _keep(ctx, inputs, output):
    *tensors, ctx.levels, ctx.anchors = inputs
    ctx.save_for_backward(*tensors)


def _differentiate(ctx, grad):
    tensors, levels = ctx.saved_tensors, list(ctx.levels)
    asked = bits(ctx.needs_input_grad[:4])
    gradients = _gradients(lambda again: ops.fused_backward(grad, *tensors, levels, ctx.anchors, asked, again),
                           tensors[0], asked)
    return (*found(gradients, asked), None, None)


def _keep_on_device(ctx, inputs, output):
    *tensors, ctx.anchors = inputs
    ctx.save_for_backward(*tensors)


def _differentiate_on_device(ctx, grad):
    tensors, needs = ctx.saved_tensors, ctx.needs_input_grad
    asked = bits((needs[0], *needs[2:5]))
    gradients = _gradients(lambda again: ops.fused_backward_on_device(grad, *tensors, ctx.anchors, asked, again),
                           tensors[0], asked)
    of_value, *others = found(gradients, asked)
    return (of_value, None, *others, None)


differentiate_by("fused", _differentiate, _keep)
differentiate_by("fused_on_device", _differentiate_on_device, _keep_on_device)
differentiate_by("fused_backward", refuse)
differentiate_by("fused_backward_on_device", refuse)

for _name, _shared in (("fused", ()), ("fused_on_device", (1,)), ("fused_backward", ()),
                       ("fused_backward_on_device", (2,))):
    fold_batches(_name, _shared)
