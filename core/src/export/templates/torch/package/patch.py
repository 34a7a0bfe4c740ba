"""Drop-ins for what models call, undone on exit."""

import contextlib
import functools
import sys

import torch

from .attention import deformable_attention
from .layers import MultiScaleDeformableAttention, points_by_level
from .modules import CLASSES, drop_in, family_of, names_of
from .norms import frozen_norm, is_frozen_norm

# How the names of autograd functions around Deformable DETR's kernel begin: those of mmcv, detrex, Grounding
# DINO and BEVFormer; those of Deformable DETR and of what was copied from it.
_FUNCTIONS = ("MultiScaleDeformableAttnFunction", "MSDeformAttnFunction")
# The same in PyTorch, for models without that kernel: mmcv's and detrex's, and Deformable DETR's.
_IN_PYTORCH = ("multi_scale_deformable_attn_pytorch", "multi_scale_deformable_attn",
               "ms_deform_attn_core_pytorch")
_HF_CLASS = "MultiScaleDeformableAttention"
_HF_ARGUMENT = "value_spatial_shapes_list"
_HF_FUNCTION = "multi_scale_deformable_attention"
_HF_BY_LEVEL = "multi_scale_deformable_attention_v2"


class Report:
    """What patched() replaced: `replaced`, lines of places; `left`, pairs of a place that it knows and the reason why
    that one stays as it was, or why a call of it went to the model's own code. len() is the number of places
    replaced."""

    def __init__(self):
        self.replaced = []
        self.left = []

    def leave(self, place, why):
        """Once for each reason."""
        if (place, why) not in self.left:
            self.left.append((place, why))

    def __len__(self):
        return len(self.replaced)

    def __str__(self):
        lines = [f"replaced {place}" for place in self.replaced]
        lines += [f"left {place}: {why}" for place, why in self.left]
        return "\n".join(lines) or "nothing to replace: import the models first"


def _function(theirs):
    """In the place of such an autograd function. Levels lie one after another, as these models have them; sizes on a
    GPU are read there."""

    class Function:
        @staticmethod
        def apply(value, shapes, starts, locations, weights, im2col_step=64):
            return deformable_attention(value, shapes, locations, weights)

    Function.__name__ = Function.__qualname__ = theirs.__name__
    return Function


def _by_level(theirs):
    def attention(value, value_spatial_shapes, sampling_locations, attention_weights, num_points_list,
                  method="default"):
        if method != "default":  # samples the nearest pixel
            return theirs(value, value_spatial_shapes, sampling_locations, attention_weights, num_points_list, method)
        return points_by_level(value, value_spatial_shapes, sampling_locations, attention_weights, num_points_list)

    return attention


def _in_pytorch(value, value_spatial_shapes, sampling_locations, attention_weights):
    return deformable_attention(value, value_spatial_shapes, sampling_locations, attention_weights)


def _forwards(module_name, names, report):
    """Of the module's attention modules: owner, name, and what takes its place."""
    for found in [names[name] for name in CLASSES.intersection(names)]:
        family = family_of(module_name, found)
        if family is None:
            continue
        place = f"{module_name}.{found.__name__}.forward"
        theirs = getattr(found.forward, "theirs", found.forward)
        missing = sorted(family.requires - set(names_of(theirs)))
        if missing:
            report.leave(place, f"it takes no {', '.join(missing)}")
        else:
            yield found, "forward", drop_in(theirs, family, functools.partial(report.leave, place)), place


def _in_transformers(module, names, report):
    """Of a module of transformers: owner, name, and what takes its place."""
    found = names.get(_HF_CLASS)  # each model has a copy of it
    if isinstance(found, type):
        place = f"{module.__name__}.{_HF_CLASS}.forward"
        if _HF_ARGUMENT not in found.forward.__code__.co_varnames:
            report.leave(place, f"it takes no {_HF_ARGUMENT}")
        else:
            yield found, "forward", MultiScaleDeformableAttention.forward, place
    if callable(names.get(_HF_FUNCTION)):  # Mask2Former's and OneFormer's, and of all models in older versions
        yield module, _HF_FUNCTION, _in_pytorch, f"{module.__name__}.{_HF_FUNCTION}"
    if callable(names.get(_HF_BY_LEVEL)):  # RT-DETR v2, D-FINE
        yield module, _HF_BY_LEVEL, _by_level(names[_HF_BY_LEVEL]), f"{module.__name__}.{_HF_BY_LEVEL}"


def _norms(module_name, names):
    for found in [found for found in list(names.values()) if is_frozen_norm(found, module_name)]:
        yield found, "forward", frozen_norm(found.forward), f"{module_name}.{found.__name__}.forward"


def _replacements(report, norms):
    """Of the modules that have been imported."""
    for name, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", {})  # not getattr(module, ...), which may import
        if name == __name__ or name.startswith(__package__ + "."):
            continue
        yield from _forwards(name, names, report)
        if norms:
            yield from _norms(name, names)
        if name.startswith("transformers.models."):
            yield from _in_transformers(module, names, report)
            continue
        for key in [key for key in names if key.startswith(_FUNCTIONS)]:
            if isinstance(names[key], type):
                yield module, key, _function(names[key]), f"{name}.{key}"
        for key in [key for key in _IN_PYTORCH if callable(names.get(key))]:
            code = getattr(names[key], "__code__", None)
            if code is None or code.co_argcount != 4:
                report.left.append((f"{name}.{key}", "it does not take value, shapes, locations, weights"))
            else:
                yield module, key, _in_pytorch, f"{name}.{key}"


def _look_at(model, report):
    """Modules of a model that do not call what is replaced."""
    for name, module in model.named_modules():
        if type(module).__name__ != _HF_CLASS:
            continue
        if "forward" in vars(module):
            report.left.append((name, "its forward is its own: the package kernels, or a hook, has replaced it"))
        elif hasattr(torch, "_dynamo") and isinstance(module, torch._dynamo.OptimizedModule):
            report.left.append((name, "it is compiled already: compile inside patched()"))


@contextlib.contextmanager
def patched(model=None, norms=True):
    """Models that exist already and those made inside use the operator, for inference and for training. With `norms`
    their backbones' frozen batch norms are one kernel each in fp16 and bf16, and results have the type of the norms' inputs,
    under AMP too.
    Returns a Report; with a model, it also tells of the model's own attentions that do not call what is replaced."""
    report, undo = Report(), {}
    try:
        for owner, name, replacement, place in _replacements(report, norms):
            if (id(owner), name) not in undo:
                undo[id(owner), name] = owner, name, getattr(owner, name)
                report.replaced.append(place)
            setattr(owner, name, replacement)
        if model is not None:
            _look_at(model, report)
        yield report
    finally:
        for owner, name, before in undo.values():
            setattr(owner, name, before)
