#!/usr/bin/env python3
"""Tries the parts of the exported Python package that need no PyTorch: what patched() replaces, and with what.

usage: package_test.py FOLDER_OF_THE_PACKAGE
"""
import importlib
import pathlib
import sys
import types
import unittest

FOLDER = pathlib.Path(sys.argv[1])
calls = []


def module(name, **names):
    made = types.ModuleType(name)
    vars(made).update(names)
    sys.modules[name] = made
    return made


class Shapes:
    """A tensor of sizes on a GPU, which nobody reads."""

    place = "cuda"


VALUE = types.SimpleNamespace(requires_grad=False)
TRAINED = types.SimpleNamespace(requires_grad=True)


class Theirs:
    @staticmethod
    def apply(*arguments):
        return "theirs"


class Attention:
    def forward(self, value, value_spatial_shapes, value_spatial_shapes_list, level_start_index,
                sampling_locations, attention_weights, im2col_step):
        return "theirs"


class Other:
    def forward(self, value):
        return "theirs"


def theirs(value, value_spatial_shapes, sampling_locations, attention_weights):
    return "theirs"


class Patch(unittest.TestCase):
    def setUp(self):
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))
        torch = module("torch", is_grad_enabled=lambda: True)
        torch.nn = module("torch.nn", Module=object)
        package = module("package")
        package.__path__ = [str(FOLDER)]
        module("package.attention",
               deformable_attention=lambda *arguments: calls.append(arguments) or "ours")
        self.patched = importlib.import_module("package.patch").patched
        calls.clear()

    def test_replaces_what_models_call_and_puts_it_back(self):
        model = module("transformers.models.a.modeling_a", MultiScaleDeformableAttention=Attention)
        other = module("transformers.models.c.modeling_c", MultiScaleDeformableAttention=Other)
        masks = module("transformers.models.b.modeling_b", multi_scale_deformable_attention=theirs)
        mmcv = module("mmcv.ops.multi_scale_deform_attn", MultiScaleDeformableAttnFunction=Theirs)
        detr = module("models.ops.modules.ms_deform_attn", MSDeformAttnFunction=Theirs)
        attention = Attention()
        with self.patched() as count:
            self.assertEqual(count, 4)
            said = [attention.forward("v", "shapes", [(2, 3)], "starts", "l", "w", 64),
                    masks.multi_scale_deformable_attention("v", [(2, 3)], "l", "w"),
                    mmcv.MultiScaleDeformableAttnFunction.apply(VALUE, Shapes(), "starts", VALUE, VALUE, 64),
                    detr.MSDeformAttnFunction.apply(VALUE, Shapes(), "starts", VALUE, VALUE, 64)]
            self.assertEqual(said, ["ours"] * 4)
            self.assertEqual(calls[0], ("v", [(2, 3)], "l", "w"))
            self.assertEqual(calls[1], ("v", [(2, 3)], "l", "w"))
            self.assertEqual(calls[2][1].place, "cuda")
            self.assertEqual(calls[2][4], "starts")
            self.assertEqual(other.MultiScaleDeformableAttention().forward("v"), "theirs")
        self.assertEqual(attention.forward(*range(7)), "theirs")
        self.assertIs(masks.multi_scale_deformable_attention, theirs)
        self.assertIs(mmcv.MultiScaleDeformableAttnFunction, Theirs)
        self.assertIs(detr.MSDeformAttnFunction, Theirs)
        self.assertIs(model.MultiScaleDeformableAttention, Attention)

    def test_leaves_gradients_to_the_function_that_has_a_kernel_for_them(self):
        mmcv = module("mmcv.ops.multi_scale_deform_attn", MultiScaleDeformableAttnFunction=Theirs)
        with self.patched():
            said = mmcv.MultiScaleDeformableAttnFunction.apply(TRAINED, Shapes(), "starts", VALUE, VALUE)
        self.assertEqual(said, "theirs")
        self.assertEqual(calls, [])

    def test_is_undone_when_the_model_fails(self):
        module("transformers.models.a.modeling_a", MultiScaleDeformableAttention=Attention)
        before = Attention.forward
        with self.assertRaises(ZeroDivisionError), self.patched():
            self.assertIsNot(Attention.forward, before)
            raise ZeroDivisionError
        self.assertIs(Attention.forward, before)

    def test_within_itself(self):
        module("transformers.models.a.modeling_a", MultiScaleDeformableAttention=Attention)
        with self.patched():
            with self.patched() as count:
                self.assertEqual(count, 1)
            self.assertEqual(Attention().forward("v", "s", [(2, 3)], "starts", "l", "w", 64), "ours")
        self.assertEqual(Attention().forward(*range(7)), "theirs")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
