"""What compilers, autograd and vmap know of the operators: shapes, gradients, batches."""

import warnings

import torch

from ._ops import ops
from .registration import (bits, differentiate_by, fake, fake_gradients, fake_output, fold_batches, found,
                           has_to_repeat, may_only_warn, refuse)

# --- Shapes ---------------------------------------------------------------------------------------


@fake("forward")
def _(value, locations, weights, levels):
    return fake_output(value, locations)


@fake("forward_on_device")
def _(value, shapes, starts, locations, weights):
    return fake_output(value, locations)


@fake("backward")
def _(grad, value, locations, weights, levels, asked, repeatable):
    return fake_gradients((value, locations, weights), asked)


@fake("backward_on_device")
def _(grad, value, shapes, starts, locations, weights, asked, repeatable):
    return fake_gradients((value, locations, weights), asked)


# --- Gradients ------------------------------------------------------------------------------------


def _repeatable(value, locations, weights, levels, asked):
    """Whether only kernels may run that leave the same bits in every run. Where a warning will do, and there is none,
    warns."""
    if not has_to_repeat(asked):
        return False
    if not may_only_warn():
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
    asked = bits(ctx.needs_input_grad[:3])
    gradients = ops.backward(grad, *tensors, levels, asked, _repeatable(*tensors, levels, asked))
    return (*found(gradients, asked), None)


def _keep_on_device(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _differentiate_on_device(ctx, grad):
    value, shapes, starts, locations, weights = ctx.saved_tensors
    needs = ctx.needs_input_grad
    asked = bits((needs[0], needs[3], needs[4]))
    gradients = ops.backward_on_device(grad, value, shapes, starts, locations, weights, asked,
                                       _repeatable(value, locations, weights, None, asked))
    of_value, of_locations, of_weights = found(gradients, asked)
    return of_value, None, None, of_locations, of_weights


differentiate_by("forward", _differentiate, _keep)
differentiate_by("forward_on_device", _differentiate_on_device, _keep_on_device)
differentiate_by("backward", refuse)
differentiate_by("backward_on_device", refuse)

# --- Batches: with the numbers of arguments that are sizes of levels ------------------------------

for _name, _shared in (("forward", ()), ("forward_on_device", (1, 2)), ("backward", ()),
                       ("backward_on_device", (2, 3))):
    fold_batches(_name, _shared)
