import kernels
import pytest
import torch

attention = kernels.get_kernel("your-name/@HUB_NAME@", version=1)
LEVELS = [(9, 12), (5, 6), (3, 3)]


@pytest.mark.kernels_ci
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_gives_what_grid_sample_gives(dtype):
    pixels = sum(h * w for h, w in LEVELS)
    value = torch.randn(2, pixels, 4, 32, device="cuda", dtype=dtype)
    locations = torch.rand(2, 33, 4, 3, 4, 2, device="cuda", dtype=dtype) * 1.4 - 0.2
    weights = torch.rand(2, 33, 4, 12, device="cuda").softmax(-1).view(2, 33, 4, 3, 4).to(dtype)
    output = attention.deformable_attention(value, LEVELS, locations, weights)
    exact = attention.reference(value.double(), LEVELS, locations.double(), weights.double())
    error = (output.double() - exact).norm() / exact.norm()
    assert error < {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}[dtype]
