"""Multi-scale deformable attention as an operator of PyTorch.

    from @PACKAGE@ import deformable_attention, patched

    output = deformable_attention(value, [(100, 134), (50, 67)], locations, weights)
    with patched():          # what models of transformers, mmcv, detrex and others call
        model(images)
"""

from . import layers
from .attention import deformable_attention, form, form_of_gradients, is_tuned, reference
from .patch import patched

__all__ = ["deformable_attention", "form", "form_of_gradients", "is_tuned", "layers", "patched", "reference"]
