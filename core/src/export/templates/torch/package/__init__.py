"""Multi-scale deformable attention as an operator of PyTorch.

    from @PACKAGE@ import deformable_attention, fused_attention, patched

    output = deformable_attention(value, [(100, 134), (50, 67)], locations, weights)
    output = fused_attention(value, [(100, 134), (50, 67)], references, offsets, logits)
    with patched():          # what models of transformers, mmcv, detrex and others call
        model(images)
"""

from . import layers
from .attention import deformable_attention, form, form_of_gradients, is_tuned, reference
from .fused import form_of_fused, fused_attention, points_of, reads_mask
from .patch import patched

__all__ = ["deformable_attention", "form", "form_of_fused", "form_of_gradients", "fused_attention", "is_tuned", "layers",
           "patched", "points_of", "reads_mask", "reference"]
