"""How operators tell compilers, autograd and vmap of themselves, in all versions of PyTorch from 2.1 on."""

import torch

from ._ops import add_op_namespace_prefix, ops

_TWICE = ("@PACKAGE@: the gradients have no gradients themselves: a second derivative of deformable attention is not "
          "computed")
_libraries = []  # what they register ends with them


def fake(name):
    """Registers a function that makes outputs without data; PyTorch before 2.2 has no use for it."""
    register = getattr(torch.library, "register_fake", None) or getattr(torch.library, "impl_abstract", None)
    return register(add_op_namespace_prefix(name)) if register else lambda function: function


def fake_output(value, points):
    """[B, Q, H * C]; the points' first axes are batch and queries."""
    return value.new_empty(value.shape[0], points.shape[1], value.shape[2] * value.shape[3])


def fake_gradients(tensors, asked):
    return tuple(t.new_empty(t.shape if asked >> bit & 1 else (0,)) for bit, t in enumerate(tensors))


def bits(needs):
    return sum(1 << bit for bit, need in enumerate(needs) if need)


def found(gradients, asked):
    return [gradient if asked >> bit & 1 else None for bit, gradient in enumerate(gradients)]


def has_to_repeat(asked):
    """Whether the gradient of value, bit 0 of those asked for, has to have the same bits in every run."""
    return torch.are_deterministic_algorithms_enabled() and bool(asked & 1)


def may_only_warn():
    return torch.is_deterministic_algorithms_warn_only_enabled()


def refuse(ctx, *gradients):
    raise RuntimeError(_TWICE)


def differentiate_by(name, backward, keep=None):
    """Where PyTorch has no register_autograd (before 2.4) the key of autograd gets a function of the classic kind."""
    if hasattr(torch.library, "register_autograd"):
        torch.library.register_autograd(add_op_namespace_prefix(name), backward, setup_context=keep)
        return
    operator = getattr(ops, name)

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            with torch._C._AutoDispatchBelowAutograd():
                output = operator(*inputs)
            if keep is not None:
                keep(ctx, inputs, output)
            return output

    Function.backward = staticmethod(backward)
    namespace = add_op_namespace_prefix(name).split("::")[0]
    library = torch.library.Library(namespace, "IMPL")
    for key in ("AutogradCPU", "AutogradCUDA"):
        library.impl(name, lambda *inputs: Function.apply(*inputs), key)
    _libraries.append(library)


def fold_batches(name, shared):
    """For vmap: a batch of calls as one call of more images; arguments in `shared` are the same in all calls."""
    if not hasattr(torch.library, "register_vmap"):  # PyTorch before 2.5
        return
    operator = getattr(ops, name)

    def rule(info, in_dims, *arguments):
        if any(in_dims[i] is not None for i in shared):
            raise RuntimeError("@PACKAGE@: vmap over the sizes of levels: there is one pyramid for all calls")
        count = info.batch_size
        folded = list(arguments)
        for i, argument in enumerate(arguments):
            if not isinstance(argument, torch.Tensor) or i in shared:
                continue
            batched = argument.movedim(in_dims[i], 0) if in_dims[i] is not None else argument.expand(
                count, *argument.shape)
            images = batched.shape[1]
            folded[i] = batched.reshape(count * images, *batched.shape[2:])
        outputs = operator(*folded)

        def unfold(output):
            return output.reshape(count, images, *output.shape[1:]) if output.dim() > 1 else output

        if isinstance(outputs, torch.Tensor):
            return unfold(outputs), 0
        return tuple(map(unfold, outputs)), tuple(0 if output.dim() > 1 else None for output in outputs)

    torch.library.register_vmap(add_op_namespace_prefix(name), rule)
