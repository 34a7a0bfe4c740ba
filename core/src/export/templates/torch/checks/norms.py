"""Frozen batch norms inside patched(), against what the model's own code computes in float64, and their gradients."""

import contextlib
import copy
import sys
import types

import torch

from . import CUDA, DEVICE, distance, require
from @PACKAGE@ import patched


class BackboneFrozenBatchNorm2d(torch.nn.Module):
    """As models of transformers have it."""

    def __init__(self, channels=24):
        super().__init__()
        torch.manual_seed(3)
        for name in ("weight", "bias", "running_mean", "running_var"):
            self.register_buffer(name, torch.rand(channels) + 0.5)

    def forward(self, x):
        scale = (self.weight * (self.running_var + 1e-5).rsqrt()).reshape(1, -1, 1, 1)
        shift = self.bias.reshape(1, -1, 1, 1) - self.running_mean.reshape(1, -1, 1, 1) * scale
        return x * scale + shift


@contextlib.contextmanager
def imported():
    module = types.ModuleType("norms_of_a_backbone")
    module.BackboneFrozenBatchNorm2d = BackboneFrozenBatchNorm2d
    sys.modules[module.__name__], before = module, BackboneFrozenBatchNorm2d.__module__
    BackboneFrozenBatchNorm2d.__module__ = module.__name__
    try:
        yield f"{module.__name__}.BackboneFrozenBatchNorm2d.forward"
    finally:
        del sys.modules[module.__name__]
        BackboneFrozenBatchNorm2d.__module__ = before


def _output_and_gradient(norm, x):
    x = x.detach().requires_grad_()
    output = norm(x)
    output.square().sum().backward()
    return output.detach(), x.grad


def norms_are_those_of_the_model():
    """Types of x and of the buffers; in a narrow type beside fp32 buffers, as AMP has them, results stay narrow. In fp32
    nothing changes."""
    cases = [(torch.float32, torch.float32, 1e-6)]
    if CUDA:
        cases += [(torch.float16, torch.float16, 1e-3), (torch.float16, torch.float32, 1e-3),
                  (torch.bfloat16, torch.float32, 1e-2)]
    generator, said = torch.Generator().manual_seed(1), []
    images = torch.randn(2, 24, 9, 7, generator=generator).to(DEVICE)
    for dtype, kept, most in cases:
        norm, x = BackboneFrozenBatchNorm2d().to(DEVICE, kept), images.to(dtype)
        own = _output_and_gradient(norm, x)
        truth = _output_and_gradient(copy.deepcopy(norm).double(), x.double())
        with imported() as place, patched() as report:
            assert place in report.replaced
            for given in (x, x.contiguous(memory_format=torch.channels_last)):
                found = _output_and_gradient(norm, given)
                assert all(part.dtype == dtype for part in found)
                assert dtype == torch.float32 or found[0].is_contiguous(memory_format=torch.channels_last)
                assert dtype != torch.float32 or all(torch.equal(*parts) for parts in zip(found, own)), "fp32 differs"
                said += [require(distance(a, b), most, f"{dtype} beside {kept}") for a, b in zip(found, truth)]
            with torch.no_grad():
                require(distance(norm(x), truth[0]), most, "without gradients")
            assert norm(x[:0]).shape == (0, *x.shape[1:]), "no images"
    return f"{max(said):.1e}"


def norms_under_vmap_are_the_models():
    norm = BackboneFrozenBatchNorm2d().to(DEVICE).half() if CUDA else BackboneFrozenBatchNorm2d()
    x = torch.randn(3, 2, 24, 5, 4, generator=torch.Generator().manual_seed(2)).to(norm.weight)
    expected = torch.stack([norm(one) for one in x])
    with imported(), patched():
        assert torch.equal(torch.vmap(norm)(x), expected)


def norms_can_be_kept_and_come_back():
    with imported() as place:
        before = BackboneFrozenBatchNorm2d.forward
        with patched(norms=False) as report:
            assert BackboneFrozenBatchNorm2d.forward is before and place not in report.replaced
        with patched():
            assert BackboneFrozenBatchNorm2d.forward is not before
        assert BackboneFrozenBatchNorm2d.forward is before


def norms_that_learn_stay_the_models():
    norm = BackboneFrozenBatchNorm2d().to(DEVICE)
    norm.weight.requires_grad_()
    x = torch.ones(1, 24, 2, 2, device=DEVICE)
    with imported(), patched():
        norm(x).sum().backward()
    assert norm.weight.grad is not None


CHECKS = (norms_are_those_of_the_model, norms_under_vmap_are_the_models, norms_can_be_kept_and_come_back,
          norms_that_learn_stay_the_models)
