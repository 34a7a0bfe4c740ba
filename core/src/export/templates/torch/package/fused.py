"""The operator together with what models compute before it.

    value      [B, S, H, C]
    references [B, Q, R, 2 or 4]     (x, y), and width and height of a box, 0..1 inside the image
    offsets    [B, Q, H, L, P, 2]    in pixels of the level, or in parts of the box
    logits     [B, Q, H, L, P], or [B, Q, H, L * P]
    output     [B, Q, H * C]

Weights are the softmax of a row's logits. A point is at r.xy + o / (W_l, H_l), or at r.xy + o / P_l * r.wh / 2 where a
reference has a box. Points and the softmax are computed in fp32 or finer.

Where levels differ in their numbers of points, `points` has these, and a row's points are one axis: offsets are
[B, Q, H, sum of P_l, 2], logits [B, Q, H, sum of P_l]. `box_parts`, a number for each point of a row, stands for
1 / (2 * P_l).
"""

import warnings

import torch

from ._ops import ops
from .attention import FORMS, TYPES, autocast_type, deformable_attention, flat, is_on_device
from .registration import (bits, differentiate_by, fake, fake_gradients, fake_output, fold_batches, found,
                           has_to_repeat, may_only_warn, refuse)


def points_of(levels, references, offsets, logits, anchors=False, points=None, box_parts=None):
    """Locations and weights in PyTorch: what the operator computes inside. Levels as a list of pairs."""
    if points is not None or box_parts is not None:
        return _points_one_by_one(levels, references, offsets, logits, anchors, points, box_parts)
    dtype = torch.promote_types(offsets.dtype, torch.float32)
    references, offsets = references.to(dtype), offsets.to(dtype)
    weights = logits.reshape(offsets.shape[:-1]).to(dtype).flatten(3).softmax(-1).view(offsets.shape[:-1])
    count = _anchor_count(references, len(levels), anchors)
    if count == 0:
        own = references[:, :, None, :, None]
    else:
        own = references[:, :, [p % count for p in range(offsets.shape[4])]][:, :, None, None]
    if references.shape[-1] == 4:
        return own[..., :2] + offsets / offsets.shape[4] * own[..., 2:] * 0.5, weights
    sizes = offsets.new_tensor([(width, height) for height, width in levels])
    return own + offsets / sizes[:, None], weights


def _points_one_by_one(levels, references, offsets, logits, anchors, points, box_parts):
    """The same where each point of a row has numbers of its own."""
    dtype, shape = torch.promote_types(offsets.dtype, torch.float32), offsets.shape[:-1]
    references = references.to(dtype)
    counts = list(points) if points is not None else [offsets.shape[4]] * len(levels)
    level_of = [level for level, count in enumerate(counts) for _ in range(count)]
    offsets = offsets.to(dtype).reshape(*shape[:3], len(level_of), 2)
    weights = logits.to(dtype).reshape(*shape[:3], -1).softmax(-1).view(shape)
    count = _anchor_count(references, len(levels), anchors)
    numbers = [p % count for n in counts for p in range(n)] if count else level_of
    own = references[:, :, numbers][:, :, None]
    if references.shape[-1] == 4:
        if box_parts is None:
            box_parts = [0.5 / counts[level] for level in level_of]
        unit = own[..., 2:] * offsets.new_tensor(box_parts)[:, None]
    else:
        unit = 1 / offsets.new_tensor([(levels[level][1], levels[level][0]) for level in level_of])
    return (own[..., :2] + offsets * unit).reshape(*shape, 2), weights


def attention_of_points(attend, value, levels, locations, weights, points=None):
    """attend(value, levels, locations, weights) of the levels together, or one by one where they differ in their
    points, as forward's do not."""
    if points is None:
        return attend(value, levels, locations, weights)
    values = value.split([height * width for height, width in levels], 1)
    places, shares = locations.split(list(points), 3), weights.split(list(points), 3)
    parts = [attend(v, [level], p.unsqueeze(3), w.unsqueeze(3))
             for v, level, p, w in zip(values, levels, places, shares)]
    return torch.stack(parts).sum(0)


def _anchor_count(references, levels, anchors):
    """How many references of a query are for all levels; 0: each level has its own."""
    count = references.shape[2]
    if anchors or (count == 1 and levels != 1):
        return count
    if count != levels:
        raise ValueError(f"@PACKAGE@: {count} reference points of a query for {levels} levels: one for each, one for "
                         "all, or with anchors=True some for all")
    return 0


def _prepared(value, references, offsets, logits, anchors, padding_mask, points, box_parts):
    """Types that kernels are for. Under autocast values are narrow; what is not as narrow stays as it is. The tensors,
    and what else operators take."""
    dtype = autocast_type(value.device.type) or value.dtype
    offsets, logits = (part if part.dtype == dtype else part.float() for part in (offsets, logits))
    count = _anchor_count(references, offsets.shape[3] if points is None else len(points), anchors)
    tensors = (value.to(dtype), references.float(), offsets, logits.reshape(offsets.shape[:-1]))
    mask = padding_mask.bool() if padding_mask is not None else None
    return tensors, (count, mask, list(points or ()), list(box_parts or ()))


def fused_attention(value, levels, references, offsets, logits, anchors=False, padding_mask=None, points=None,
                    box_parts=None):
    """`levels` as of deformable_attention(): a list of pairs, or a tensor [L, 2], which kernels read where it is on a
    GPU. A query has a reference for each level, or one for all; with `anchors` it has R for all levels, of which point
    p takes number p % R, as BEVFormer's do. `padding_mask` [B, S] is true where a pixel of value counts as zero; where
    no kernel of the table reads one, value is masked in a copy. `points` and `box_parts`: see above. Gradients of value,
    references, offsets and logits, any of them, of the first order."""
    is_known = (autocast_type(value.device.type) or value.dtype) in TYPES
    if not is_known or torch.onnx.is_in_onnx_export():
        pairs = flat(levels)
        pairs = list(zip(pairs[0::2], pairs[1::2]))
        if padding_mask is not None:
            value = value.masked_fill(padding_mask[..., None, None], 0.0)
        locations, weights = points_of(pairs, references, offsets, logits, anchors, points, box_parts)
        locations = locations if is_known else locations.to(value.dtype)
        return attention_of_points(deformable_attention, value, pairs, locations, weights, points)
    tensors, rest = _prepared(value, references, offsets, logits, anchors, padding_mask, points, box_parts)
    if is_on_device(levels):
        return ops.fused_on_device(tensors[0], levels.long(), *tensors[1:], *rest)
    return ops.fused(*tensors, flat(levels), *rest)


def form_of_fused(value, levels, references, offsets, logits, anchors=False, padding_mask=None, points=None,
                  box_parts=None):
    """Which kind of kernel a call of fused_attention() gets, see form(). "general": a kernel makes locations and
    weights in memory, and the one that form() names for these reads them."""
    return FORMS[_kernel_of(value, levels, references, offsets, logits, anchors, padding_mask, points, box_parts) % 8]


def reads_mask(value, levels, references, offsets, logits, anchors=False, padding_mask=None, points=None,
               box_parts=None):
    """Whether the kernel of a call of fused_attention() with a mask reads that. Else value is masked in a copy, which
    takes as long as PyTorch's masked_fill, and form_of_fused() names the kernel that reads the copy."""
    return _kernel_of(value, levels, references, offsets, logits, anchors, padding_mask, points, box_parts) >= 8


def _kernel_of(value, levels, *parts):
    tensors, rest = _prepared(value, *parts)
    if tensors[0].dtype not in TYPES:
        return 0
    if is_on_device(levels):
        return ops.form_of_fused_on_device(tensors[0], levels.long(), *tensors[1:], *rest)
    return ops.form_of_fused(*tensors, flat(levels), *rest)


# --- Shapes ---------------------------------------------------------------------------------------


@fake("fused")
def _(value, references, offsets, logits, levels, anchors, padding_mask, points, box_parts):
    return fake_output(value, offsets)


@fake("fused_on_device")
def _(value, shapes, references, offsets, logits, anchors, padding_mask, points, box_parts):
    return fake_output(value, offsets)


@fake("fused_backward")
def _(grad, value, references, offsets, logits, levels, anchors, padding_mask, points, box_parts, asked,
      repeatable):
    return fake_gradients((value, references, offsets, logits), asked)


@fake("fused_backward_on_device")
def _(grad, value, shapes, references, offsets, logits, anchors, padding_mask, points, box_parts, asked,
      repeatable):
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
    *tensors, ctx.levels, ctx.anchors, mask, ctx.points, ctx.box_parts = inputs
    ctx.save_for_backward(*tensors, mask)


def _rest(ctx, mask):
    return ctx.anchors, mask, list(ctx.points), list(ctx.box_parts)


def _differentiate(ctx, grad):
    (*tensors, mask), levels = ctx.saved_tensors, list(ctx.levels)
    asked = bits(ctx.needs_input_grad[:4])
    gradients = _gradients(lambda again: ops.fused_backward(grad, *tensors, levels, *_rest(ctx, mask), asked, again),
                           tensors[0], asked)
    return (*found(gradients, asked), *[None] * 5)


def _keep_on_device(ctx, inputs, output):
    *tensors, ctx.anchors, mask, ctx.points, ctx.box_parts = inputs
    ctx.save_for_backward(*tensors, mask)


def _differentiate_on_device(ctx, grad):
    (*tensors, mask), needs = ctx.saved_tensors, ctx.needs_input_grad
    asked = bits((needs[0], *needs[2:5]))
    gradients = _gradients(
        lambda again: ops.fused_backward_on_device(grad, *tensors, *_rest(ctx, mask), asked, again), tensors[0], asked)
    of_value, *others = found(gradients, asked)
    return (of_value, None, *others, *[None] * 4)


differentiate_by("fused", _differentiate, _keep)
differentiate_by("fused_on_device", _differentiate_on_device, _keep_on_device)
differentiate_by("fused_backward", refuse)
differentiate_by("fused_backward_on_device", refuse)

for _name, _shared in (("fused", ()), ("fused_on_device", (1,)), ("fused_backward", ()),
                       ("fused_backward_on_device", (2,))):
    fold_batches(_name, _shared)
