"""Drop-ins for what models call, undone on exit."""

import contextlib
import sys

import torch

from .attention import deformable_attention
from .layers import MultiScaleDeformableAttention

# How the names of autograd functions around Deformable DETR's kernel begin: those of mmcv, detrex, Grounding
# DINO and BEVFormer; those of Deformable DETR and of what was copied from it.
_FUNCTIONS = ("MultiScaleDeformableAttnFunction", "MSDeformAttnFunction")
_HF_CLASS = "MultiScaleDeformableAttention"
_HF_ARGUMENT = "value_spatial_shapes_list"
_HF_FUNCTION = "multi_scale_deformable_attention"


def _function(theirs):
    """In the place of such an autograd function. Its shapes are tensors alone, and those on a GPU are read
    there. Where gradients are wanted the function itself computes, whose backward pass is a kernel."""

    class Function:
        @staticmethod
        def apply(value, shapes, starts, locations, weights, im2col_step=64):
            if torch.is_grad_enabled() and any(t.requires_grad for t in (value, locations, weights)):
                return theirs.apply(value, shapes, starts, locations, weights, im2col_step)
            return deformable_attention(value, shapes, locations, weights, starts)

    return Function


def _replacements():
    """Of the modules that have been imported: owner, name, and what takes its place."""
    for name, module in list(sys.modules.items()):
        names = getattr(module, "__dict__", {})  # not getattr(module, ...), which may import
        if name.startswith("transformers.models."):
            found = names.get(_HF_CLASS)  # each model has a copy of it
            if isinstance(found, type) and _HF_ARGUMENT in found.forward.__code__.co_varnames:
                yield found, "forward", MultiScaleDeformableAttention.forward
            if callable(names.get(_HF_FUNCTION)):  # Mask2Former's, and of all models in older versions
                yield module, _HF_FUNCTION, deformable_attention
        for function in [key for key in names if key.startswith(_FUNCTIONS)]:
            if isinstance(names[function], type):
                yield module, function, _function(names[function])


@contextlib.contextmanager
def patched():
    """Models that exist already and those made inside use the operator; returns how many places do."""
    undo = {}
    try:
        for owner, name, replacement in _replacements():
            undo.setdefault((id(owner), name), (owner, name, getattr(owner, name)))
            setattr(owner, name, replacement)
        yield len(undo)
    finally:
        for owner, name, before in undo.values():
            setattr(owner, name, before)
