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


def by_level(value, value_spatial_shapes, sampling_locations, attention_weights, num_points_list, method="default"):
    return "theirs"


def of_three(value, shapes, locations):
    return "theirs"


class Parts:
    """A tensor of points by level."""

    def unflatten(self, axis, sizes):
        return self, axis, sizes


class Model:
    def __init__(self, **modules):
        self.modules = modules

    def named_modules(self):
        return self.modules.items()


class Patch(unittest.TestCase):
    def setUp(self):
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))
        torch = module("torch")
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
        plain = module("mmcv.ops.plain", multi_scale_deformable_attn_pytorch=theirs)
        attention = Attention()
        with self.patched() as report:
            self.assertEqual(len(report), 5)
            said = [attention.forward("v", "shapes", [(2, 3)], "starts", "l", "w", 64),
                    masks.multi_scale_deformable_attention("v", [(2, 3)], "l", "w"),
                    mmcv.MultiScaleDeformableAttnFunction.apply("v", Shapes(), "starts", "l", "w", 64),
                    detr.MSDeformAttnFunction.apply("v", Shapes(), "starts", "l", "w", 64),
                    plain.multi_scale_deformable_attn_pytorch("v", "shapes", "l", "w")]
            self.assertEqual(said, ["ours"] * 5)
            self.assertEqual(calls[0], ("v", [(2, 3)], "l", "w"))
            self.assertEqual(calls[1], ("v", [(2, 3)], "l", "w"))
            self.assertEqual(calls[2][1].place, "cuda")
            self.assertEqual(other.MultiScaleDeformableAttention().forward("v"), "theirs")
        self.assertEqual(attention.forward(*range(7)), "theirs")
        self.assertIs(masks.multi_scale_deformable_attention, theirs)
        self.assertIs(mmcv.MultiScaleDeformableAttnFunction, Theirs)
        self.assertIs(detr.MSDeformAttnFunction, Theirs)
        self.assertIs(model.MultiScaleDeformableAttention, Attention)

    def test_says_what_it_replaced_and_what_not_and_why(self):
        module("transformers.models.a.modeling_a", MultiScaleDeformableAttention=Attention)
        module("transformers.models.c.modeling_c", MultiScaleDeformableAttention=Other)
        module("mmcv.ops.plain", multi_scale_deformable_attn_pytorch=of_three)
        own = type("MultiScaleDeformableAttention", (), {})()
        own.forward = theirs
        with self.patched(Model(layer=own, head=object())) as report:
            self.assertEqual(report.replaced, ["transformers.models.a.modeling_a.MultiScaleDeformableAttention.forward"])
            self.assertEqual([place for place, _ in report.left],
                             ["transformers.models.c.modeling_c.MultiScaleDeformableAttention.forward",
                              "mmcv.ops.plain.multi_scale_deformable_attn_pytorch", "layer"])
            self.assertIn("value_spatial_shapes_list", report.left[0][1])

    def test_takes_points_by_level_and_leaves_those_of_another_method(self):
        model = module("transformers.models.r.modeling_r", multi_scale_deformable_attention_v2=by_level)
        with self.patched():
            said = model.multi_scale_deformable_attention_v2("v", [(2, 3)], Parts(), Parts(), [4, 4])
            self.assertEqual(said, "ours")
            self.assertEqual(calls[0][2][1:], (3, (2, 4)))
            said = model.multi_scale_deformable_attention_v2("v", [(2, 3)], Parts(), Parts(), [4, 4], "discrete")
            self.assertEqual(said, "theirs")
        self.assertIs(model.multi_scale_deformable_attention_v2, by_level)

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
            with self.patched() as report:
                self.assertEqual(len(report), 1)
            self.assertEqual(Attention().forward("v", "s", [(2, 3)], "starts", "l", "w", 64), "ours")
        self.assertEqual(Attention().forward(*range(7)), "theirs")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
