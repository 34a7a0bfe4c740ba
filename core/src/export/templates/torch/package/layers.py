"""Layers and functions in the places of those of models."""

import torch

from .attention import deformable_attention


class MultiScaleDeformableAttention(torch.nn.Module):
    """In the place of the class of this name in models of transformers, which Hugging Face's `kernels` looks for."""

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


def points_by_level(value, levels, locations, weights, counts):
    """`counts` points of each level, as RT-DETR v2 and D-FINE have them: locations [B, Q, H, sum(counts), 2], weights
    [B, Q, H, sum(counts)]. Levels with fewer points than others get points of weight zero outside of the image."""
    most = max(counts)
    if all(count == most for count in counts):
        return deformable_attention(value, levels, locations.unflatten(3, (len(counts), most)),
                                    weights.unflatten(3, (len(counts), most)))
    outside = -10.0  # in images
    padded = [
        torch.nn.functional.pad(part, (0, 0, 0, most - count), value=outside)
        for part, count in zip(locations.split(counts, dim=3), counts)
    ]
    weighted = [
        torch.nn.functional.pad(part, (0, most - count))
        for part, count in zip(weights.split(counts, dim=3), counts)
    ]
    return deformable_attention(value, levels, torch.stack(padded, 3), torch.stack(weighted, 3))
