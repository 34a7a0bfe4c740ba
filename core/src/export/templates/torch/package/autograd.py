"""What compilers, autograd and vmap know of the operators: shapes, gradients, batches."""

import warnings

import torch

from ._ops import add_op_namespace_prefix, ops

_ASKED = (0, 1, 2)  # gradients of value, locations, weights
_TWICE = ("@PACKAGE@: the gradients have no gradients themselves: a second derivative of deformable attention is not "
          "computed")


# --- Shapes ---------------------------------------------------------------------------------------


def _fake(name):
    """Registers a function that makes outputs without data; PyTorch before 2.2 has no use for it."""
    register = getattr(torch.library, "register_fake", None) or getattr(torch.library, "impl_abstract", None)
    return register(add_op_namespace_prefix(name)) if register else lambda function: function


def _output(value, locations):
    return value.new_empty(value.shape[0], locations.shape[1], value.shape[2] * value.shape[3])


def _gradients(tensors, asked):
    return tuple(t.new_empty(t.shape if asked >> bit & 1 else (0,)) for bit, t in enumerate(tensors))


@_fake("forward")
def _(value, locations, weights, levels):
    return _output(value, locations)


@_fake("forward_on_device")
def _(value, shapes, starts, locations, weights):
    return _output(value, locations)


@_fake("backward")
def _(grad, value, locations, weights, levels, asked, repeatable):
    return _gradients((value, locations, weights), asked)


@_fake("backward_on_device")
def _(grad, value, shapes, starts, locations, weights, asked, repeatable):
    return _gradients((value, locations, weights), asked)


# --- Gradients ------------------------------------------------------------------------------------


def _bits(needs):
    return sum(1 << bit for bit, need in enumerate(needs) if need)


def _found(gradients, asked):
    return [gradient if asked >> bit & 1 else None for bit, gradient in enumerate(gradients)]


def _repeatable(value, locations, weights, levels, asked):
    """Whether only kernels may run that leave the same bits in every run. Where a warning will do, and there is none,
    warns."""
    if not torch.are_deterministic_algorithms_enabled() or not asked & 1:
        return False
    if not torch.is_deterministic_algorithms_warn_only_enabled():
        return True
    if type(value) is not torch.Tensor or levels is None:  # a tracer's
        return False
    if ops.form_of_backward(value, locations, weights, levels, True) >= 0:
        return True
    warnings.warn("@PACKAGE@: no kernel for these sizes and types sums the gradient of value in the same order each "
                  "time", stacklevel=2)
    return False


def _keep(ctx, inputs, output):
    value, locations, weights, ctx.levels = inputs
    ctx.save_for_backward(value, locations, weights)


def _differentiate(ctx, grad):
    tensors, levels = ctx.saved_tensors, list(ctx.levels)
    asked = _bits(ctx.needs_input_grad[:3])
    gradients = ops.backward(grad, *tensors, levels, asked, _repeatable(*tensors, levels, asked))
    return (*_found(gradients, asked), None)


def _keep_on_device(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _differentiate_on_device(ctx, grad):
    value, shapes, starts, locations, weights = ctx.saved_tensors
    needs = ctx.needs_input_grad
    asked = _bits((needs[0], needs[3], needs[4]))
    gradients = ops.backward_on_device(grad, value, shapes, starts, locations, weights, asked,
                                       _repeatable(value, locations, weights, None, asked))
    of_value, of_locations, of_weights = _found(gradients, asked)
    return of_value, None, None, of_locations, of_weights


def _refuse(ctx, *gradients):
    raise RuntimeError(_TWICE)


def _register(name, backward, keep=None):
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


_libraries = []  # what they register ends with them
_register("forward", _differentiate, _keep)
_register("forward_on_device", _differentiate_on_device, _keep_on_device)
_register("backward", _refuse)
_register("backward_on_device", _refuse)


# --- Batches --------------------------------------------------------------------------------------


def _vmap(name, shared):
    """A batch of calls as one call of more images; arguments in `shared` are the same in all calls."""
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


if hasattr(torch.library, "register_vmap"):  # PyTorch 2.5
    for _name, _shared in (("forward", ()), ("forward_on_device", (1, 2)), ("backward", ()),
                           ("backward_on_device", (2, 3))):
        _vmap(_name, _shared)
