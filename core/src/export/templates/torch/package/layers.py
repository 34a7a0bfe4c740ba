"""The layer as Hugging Face's `kernels` looks for it."""

import torch

from .attention import deformable_attention


class MultiScaleDeformableAttention(torch.nn.Module):
    """In the place of the class of this name in models of transformers."""

    can_torch_compile = True

    def forward(
        self,
        value,
        value_spatial_shapes,
        value_spatial_shapes_list,
        level_start_index,
        sampling_locations,
        attention_weights,
        im2col_step,
    ):
        return deformable_attention(value, value_spatial_shapes_list, sampling_locations, attention_weights)
