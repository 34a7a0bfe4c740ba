"""Frozen batch norms of backbones in one kernel, in fp16 and bf16. They are no attention; but as models write them,
`x * scale + bias` in PyTorch, they take longer than all of a patched model's attentions, and under AMP, whose buffers are
fp32, they make all activations behind them fp32. Results lie channels last, so that convolutions of 16 bits, which want
them so, turn neither what they read nor what they write. In fp32 a model keeps its own: what is behind a ReLU has other
gradients where a number near zero is rounded to the other side."""

import functools

import torch

_BUFFERS = ("weight", "bias", "running_mean", "running_var")
_NARROW = (torch.float16, torch.bfloat16)
_EPSILON = 1e-5  # of models that have it in their code


def is_traced():
    """By a compiler or an exporter, which makes one kernel, or one node, of plain PyTorch by itself; or by functorch,
    whose tensors have no memory formats."""
    is_compiling = getattr(torch.compiler, "is_compiling", lambda: False)  # PyTorch before 2.3 has none
    is_transformed = torch._C._functorch.peek_interpreter_stack() is not None
    return is_compiling() or torch.onnx.is_in_onnx_export() or is_transformed


def _norm(x, weight, bias, mean, variance, epsilon):
    """PyTorch's own kernel: cuDNN's takes six times as long where channels are last."""
    return torch.native_batch_norm(x, weight, bias, mean, variance, False, 0.0, epsilon)[0]


class _Frozen(torch.autograd.Function):
    """Keeps nothing of x: its gradient is a norm, too, of mean zero."""

    @staticmethod
    def forward(x, weight, bias, mean, variance, epsilon):
        return _norm(x, weight, bias, mean, variance, epsilon)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, weight, _, _, variance, ctx.epsilon = inputs
        ctx.save_for_backward(weight, variance)

    @staticmethod
    def backward(ctx, grad):
        weight, variance = ctx.saved_tensors
        of_x = _norm(grad, weight, None, torch.zeros_like(variance), variance, ctx.epsilon)
        return of_x, None, None, None, None, None


def is_frozen_norm(found, module_name):
    """Whether a name in a Python module is a class of frozen norms that was defined there."""
    # Not isinstance(), by which some names say that they are deprecated, or import modules.
    return (issubclass(type(found), type) and found.__name__.endswith("FrozenBatchNorm2d")
            and found.__module__ == module_name and "forward" in vars(found))


def _is_for(module, x):
    if is_traced() or x.numel() == 0:
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
        x = x.contiguous(memory_format=torch.channels_last)
        return _Frozen.apply(x, *(getattr(self, name) for name in _BUFFERS), getattr(self, "eps", _EPSILON))

    return forward
