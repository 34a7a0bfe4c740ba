"""Forwards in the places of those of models' attention modules: projections in PyTorch, as the model has them, and the
operator from offsets and logits on."""

import dis
import functools
import inspect
import sys

import torch

from .fused import fused_attention

_LAYERS = {"sampling_offsets", "attention_weights", "value_proj", "output_proj"}
_BESIDE = {"attn", "dropout"}  # children that the operator, or what follows it, stands for


def _number(module, *names):
    return next(getattr(module, name) for name in names if hasattr(module, name))


def _values(module, value, heads):
    """Value by heads."""
    value = module.value_proj(value)
    return value.view(*value.shape[:2], heads, value.shape[2] // heads)


def _points(module):
    """Of each level where levels differ, as those of RT-DETRv2 may."""
    points = list(getattr(module, "n_points_list", ()))
    return points if len(set(points)) > 1 else None


def _projected(module, query, value):
    """Value by heads; offsets and logits of the query."""
    heads = _number(module, "n_heads", "num_heads")
    levels = _number(module, "n_levels", "num_levels")
    offsets = module.sampling_offsets(query)
    of_row = offsets.shape[2] // (2 * heads)
    points = (levels, of_row // levels) if _points(module) is None else (of_row,)
    offsets = offsets.view(*offsets.shape[:2], heads, *points, 2)
    return _values(module, value, heads), offsets, module.attention_weights(query).view(offsets.shape[:-1])


def _with_position(states, position):
    return states if position is None else states + position


def _of_each(references, states):
    """References of all images, where one is for all."""
    return references.expand(states.shape[0], -1, -1, -1)


def _pixels_of(levels):
    return sum(height * width for height, width in levels)


class Family:
    """Modules that are called alike. refuses(module, given) says why a call is not for the operator, None where it is;
    run(module, given) computes it. `given` are the call's arguments by name."""

    requires = frozenset()  # arguments of a forward that is of the family
    queries, references = "query", "reference_points"

    def __init__(self, theirs):
        code = inspect.unwrap(theirs).__code__
        # Models differ in which pixels their mask names.
        self.inverts = any(step.opname == "UNARY_INVERT" for step in dis.get_instructions(code))
        # Where transformers says which outputs are asked for.
        self.collector = getattr(sys.modules.get("transformers.utils.output_capturing"), "_active_collector", None)

    def mask(self, given, name):
        mask = given.get(name)
        return ~mask if mask is not None and self.inverts else mask

    def refuses(self, module, given):
        children = {name for name, child in module._modules.items() if child is not None}
        if not _LAYERS - {"output_proj"} <= children or children - _LAYERS - _BESIDE:
            return "it has other layers than attentions of its kind"
        references = given.get(self.references)
        if references is None or references.dim() != 4 or references.shape[-1] not in (2, 4):
            return "its reference points are none of 2 or 4 coordinates"
        return None


class OfTransformers(Family):
    """Of Hugging Face's models."""

    requires = frozenset({"hidden_states", "encoder_hidden_states", "reference_points"})

    def refuses(self, module, given):
        levels = given.get("spatial_shapes_list")
        if levels is None and given.get("spatial_shapes") is None:
            return "it gets no sizes of levels"
        if levels is not None and _pixels_of(levels) != given["encoder_hidden_states"].shape[1]:
            return "its sizes of levels contradict its values"
        if given.get("output_attentions") or self.is_watched(module):
            return "attention weights are asked for"
        if getattr(module, "method", "default") != "default":
            return "it samples the nearest pixel"
        return super().refuses(module, given)

    def is_watched(self, module):
        """Whether somebody reads what the module returns beside its output: a hook, or transformers where outputs are
        asked for, whose hooks stay when they are not."""
        if self.collector is not None and any("attention" in key for key in self.collector.get() or ()):
            return True
        return any(getattr(hook, "__name__", "") != "output_capturing_hook" for hook in module._forward_hooks.values())

    def run(self, module, given):
        query = _with_position(given["hidden_states"], given.get("position_embeddings"))
        value, offsets, logits = _projected(module, query, given["encoder_hidden_states"])
        levels = given.get("spatial_shapes_list")
        references = _of_each(given["reference_points"], query)
        scale = 2 * getattr(module, "offset_scale", 0.5)
        if scale != 1 and references.shape[-1] == 4:
            offsets = offsets * scale
        output = fused_attention(value, given["spatial_shapes"] if levels is None else levels, references, offsets,
                                 logits, padding_mask=self.mask(given, "attention_mask"), points=_points(module))
        return module.output_proj(output), None


class OfMmcv(Family):
    """Of mmcv and detrex, and of BEVFormer's decoder."""

    requires = frozenset({"query", "value", "identity", "query_pos", "key_padding_mask", "reference_points",
                          "spatial_shapes"})

    def refuses(self, module, given):
        if given.get("spatial_shapes") is None:
            return "it gets no sizes of levels"
        return super().refuses(module, given)

    def attended(self, module, given):
        """The operator's output, batch first."""
        query = given["query"]
        value = query if given.get("value") is None else given["value"]
        query = _with_position(query, given.get("query_pos"))
        if not module.batch_first:
            query, value = query.permute(1, 0, 2), value.permute(1, 0, 2)
        return self.sampled(given, *_projected(module, query, value), self.mask(given, "key_padding_mask"))

    def sampled(self, given, value, offsets, logits, mask):
        references = _of_each(given["reference_points"], value)
        return fused_attention(value, given["spatial_shapes"], references, offsets, logits, padding_mask=mask)

    def run(self, module, given):
        output = module.output_proj(self.attended(module, given))
        if not module.batch_first:
            output = output.permute(1, 0, 2)
        identity = given["query"] if given.get("identity") is None else given["identity"]
        return module.dropout(output) + identity


class OfBevformerInSpace(OfMmcv):
    """BEVFormer's MSDeformableAttention3D: a query has some references, one for each height of its pillar, for all
    levels; what follows the operator is its caller's."""

    def refuses(self, module, given):
        references = given.get("reference_points")
        if references is not None and references.shape[-1] != 2:
            return "its reference points have no 2 coordinates"
        return super().refuses(module, given)

    def sampled(self, given, value, offsets, logits, mask):
        return fused_attention(value, given["spatial_shapes"], given["reference_points"], offsets, logits, anchors=True,
                               padding_mask=mask)

    def run(self, module, given):
        output = self.attended(module, given)
        return output if module.batch_first else output.permute(1, 0, 2)


class OfBevformerInTime(OfMmcv):
    """BEVFormer's TemporalSelfAttention: a query looks at the history and at its own time, and takes the mean."""

    def refuses(self, module, given):
        query, value = given["query"], given.get("value")
        images = query.shape[0 if module.batch_first else 1]
        if images != 1 or (value is not None and value.shape[0 if module.batch_first else 1] != 2):
            return "it is for one sample with its history"
        if value is None and not module.batch_first:
            return "it has no history"
        return super().refuses(module, given)

    def run(self, module, given):
        query = given["query"]
        value = given.get("value")
        value = query.repeat(2, 1, 1) if value is None else value
        identity = query if given.get("identity") is None else given["identity"]
        query = _with_position(query, given.get("query_pos"))
        if not module.batch_first:
            query, value = query.permute(1, 0, 2), value.permute(1, 0, 2)
        query = torch.cat([value[:1], query], -1)
        times, heads, levels = 2, module.num_heads, module.num_levels
        pixels = _values(module, value, heads)
        offsets = module.sampling_offsets(query)
        points = offsets.shape[2] // (2 * times * heads * levels)
        offsets = offsets.view(query.shape[1], heads, times, levels, points, 2)
        logits = module.attention_weights(query).view(offsets.shape[:-1]).permute(2, 0, 1, 3, 4)
        offsets = offsets.permute(2, 0, 1, 3, 4, 5)
        references = given["reference_points"].expand(times, -1, -1, -1)
        output = fused_attention(pixels, given["spatial_shapes"], references, offsets.contiguous(),
                                 logits.contiguous(), padding_mask=self.mask(given, "key_padding_mask"))
        output = module.output_proj(output.mean(0, keepdim=True))
        if not module.batch_first:
            output = output.permute(1, 0, 2)
        return module.dropout(output) + identity


class OfDeformableDetr(Family):
    """Of Deformable DETR's code and what was copied from it."""

    requires = frozenset({"query", "reference_points", "input_flatten", "input_spatial_shapes", "input_padding_mask"})

    def run(self, module, given):
        query = given["query"]
        value, offsets, logits = _projected(module, query, given["input_flatten"])
        output = fused_attention(value, given["input_spatial_shapes"], _of_each(given["reference_points"], query),
                                 offsets, logits, padding_mask=self.mask(given, "input_padding_mask"))
        return module.output_proj(output)


# By the names of classes, those of transformers apart.
_CLASSES = {"MultiScaleDeformableAttention": OfMmcv, "CustomMSDeformableAttention": OfMmcv,
            "MSDeformableAttention3D": OfBevformerInSpace, "TemporalSelfAttention": OfBevformerInTime,
            "MSDeformAttn": OfDeformableDetr}
_HF_MODELS = ("DeformableDetr", "RTDetr", "RTDetrV2", "Mask2FormerPixelDecoderEncoder", "OneFormerPixelDecoderEncoder",
              "GroundingDino", "MMGroundingDino", "OmDetTurbo")
_HF_CLASSES = {model + "MultiscaleDeformableAttention" for model in _HF_MODELS}
CLASSES = _HF_CLASSES.union(_CLASSES)


def family_of(module_name, found):
    """The family of a class that a Python module has defined, None where it is of none."""
    if not issubclass(type(found), type) or "forward" not in vars(found) or found.__module__ != module_name:
        return None
    if module_name.startswith("transformers.models."):
        return OfTransformers if found.__name__ in _HF_CLASSES else None
    return _CLASSES.get(found.__name__)


def names_of(forward):
    """Of a forward's arguments behind self, by position."""
    return list(inspect.signature(forward).parameters)[1:]


def drop_in(theirs, family, fell_back):
    """A forward by the operator; calls that it is not for go to `theirs`, and fell_back(reason) hears of them."""
    names, family = names_of(theirs), family(theirs)

    @functools.wraps(theirs)
    def forward(self, *arguments, **keywords):
        given = {**dict(zip(names, arguments)), **keywords}
        why = family.refuses(self, given)
        if why is None:
            return family.run(self, given)
        fell_back(why)
        return theirs(self, *arguments, **keywords)

    forward.theirs = theirs
    return forward
