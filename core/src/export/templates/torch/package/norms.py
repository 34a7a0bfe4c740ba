"""Frozen batch norms of backbones in one kernel, in fp16 and bf16. They are no attention; but as models write them,
`x * scale + bias` in PyTorch, they take longer than all of a patched model's attentions, and under AMP, whose buffers are
fp32, they make all activations behind them fp32. In fp32 a model keeps its own: what is behind a ReLU has other gradients
where a number near zero is rounded to the other side."""

import functools

import torch

_BUFFERS = ("weight", "bias", "running_mean", "running_var")
_NARROW = (torch.float16, torch.bfloat16)
_EPSILON = 1e-5  # of models that have it in their code


class _Frozen(torch.autograd.Function):
    """Keeps nothing of x: its gradient is a norm, too, of mean zero."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, bias, mean, variance, epsilon):
        return torch.nn.functional.batch_norm(x, mean, variance, weight, bias, False, 0.0, epsilon)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, weight, _, _, variance, ctx.epsilon = inputs
        ctx.save_for_backward(weight, variance)

    @staticmethod
    def backward(ctx, grad):
        weight, variance = ctx.saved_tensors
        zero = torch.zeros_like(variance)
        of_x = torch.nn.functional.batch_norm(grad, zero, variance, weight, None, False, 0.0, ctx.epsilon)
        return of_x, None, None, None, None, None


def is_frozen_norm(found, module_name):
    """Whether a name in a Python module is a class of frozen norms that was defined there."""
    return (isinstance(found, type) and found.__name__.endswith("FrozenBatchNorm2d")
            and found.__module__ == module_name and "forward" in vars(found))


def _is_for(module, x):
    if torch.compiler.is_compiling() or torch.onnx.is_in_onnx_export():  # which make one kernel, or one node, of it
        return False
    buffers = [getattr(module, name, None) for name in _BUFFERS]
    if x.dim() != 4 or any(not isinstance(one, torch.Tensor) or one.requires_grad or one.dim() != 1 for one in buffers):
        return False
    kinds = {one.dtype for one in buffers}
    return x.is_cuda and x.dtype in _NARROW and kinds in ({x.dtype}, {torch.float32})


def frozen_norm(theirs):
    """A forward in the place of such a norm's: fp32 inside, rounded once, in the type of x."""

    @functools.wraps(theirs)
    def forward(self, x):
        if not _is_for(self, x):
            return theirs(self, x)
        return _Frozen.apply(x, *(getattr(self, name) for name in _BUFFERS), getattr(self, "eps", _EPSILON))

    return forward
