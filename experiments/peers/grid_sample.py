"""The gradients as autograd of PyTorch's grid_sample computes them: what a model without a kernel falls back to."""
import torch


def forward(value, spatial_shapes_list, sampling_locations, attention_weights):
    """The output [B, Q, H*C], level by level."""
    batch, _, heads, channels = value.shape
    queries = sampling_locations.shape[1]
    grids = (2 * sampling_locations - 1).permute(0, 2, 1, 3, 4, 5).flatten(0, 1)  # [B*H, Q, L, P, 2]
    levels = value.split([height * width for height, width in spatial_shapes_list], dim=1)
    sampled = [
        torch.nn.functional.grid_sample(
            level.permute(0, 2, 3, 1).reshape(batch * heads, channels, height, width),
            grids[:, :, number], mode="bilinear", padding_mode="zeros", align_corners=False)
        for number, (level, (height, width)) in enumerate(zip(levels, spatial_shapes_list))
    ]  # of each level [B*H, C, Q, P]
    weights = attention_weights.permute(0, 2, 1, 3, 4).flatten(0, 1).flatten(2)  # [B*H, Q, L*P]
    output = (torch.cat(sampled, dim=3) * weights[:, None]).sum(3)  # [B*H, C, Q]
    return output.view(batch, heads * channels, queries).transpose(1, 2)


def backward(value, spatial_shapes_list, sampling_locations, attention_weights, grad_output):
    """The gradients of value, locations and weights."""
    inputs = [tensor.detach().requires_grad_(True)
              for tensor in (value, sampling_locations, attention_weights)]
    output = forward(inputs[0], spatial_shapes_list, inputs[1], inputs[2])
    return torch.autograd.grad(output, inputs, grad_output.reshape(output.shape))
