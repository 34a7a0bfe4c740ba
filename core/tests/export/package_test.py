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
fused_calls = []


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


class Layer:
    """A tensor, and a layer that leaves it as it is."""

    shape = (2, 9, 256)

    def __init__(self, name, coordinates=2):
        self.name = name
        self.last = coordinates

    def __call__(self, *arguments):
        return self

    view = permute = expand = __getitem__ = __call__

    def __add__(self, other):
        calls.append((self.name, other.name))
        return self

    __invert__ = __call__

    def dim(self):
        return 4


class References(Layer):
    shape = (2, 9, 4, 2)


class Projections:
    """What attention modules have."""

    batch_first = True
    num_heads, num_levels, num_points = 8, 4, 4

    def __init__(self, **more):
        names = ("sampling_offsets", "attention_weights", "value_proj", "output_proj", "dropout")
        self._modules = {name: Layer(name) for name in names} | more
        self._forward_hooks = {}
        vars(self).update(self._modules)


def of_mmcv(name):
    """A class that is called as mmcv's module."""

    def forward(self, query, key=None, value=None, identity=None, query_pos=None, key_padding_mask=None,
                reference_points=None, spatial_shapes=None, level_start_index=None, **kwargs):
        return "theirs"

    return type("MultiScaleDeformableAttention", (Projections,), {"forward": forward, "__module__": name})


def of_transformers(name, inverts=True):
    def with_inverse(self, hidden_states, attention_mask=None, encoder_hidden_states=None, position_embeddings=None,
                     reference_points=None, spatial_shapes=None, spatial_shapes_list=None, output_attentions=False):
        return "theirs", ~attention_mask

    def without(self, hidden_states, attention_mask=None, encoder_hidden_states=None, position_embeddings=None,
                reference_points=None, spatial_shapes_list=None, output_attentions=False):
        return "theirs", attention_mask

    return type("DeformableDetrMultiscaleDeformableAttention", (Projections,),
                {"forward": with_inverse if inverts else without, "__module__": name})


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
        torch = module("torch", float16="fp16", bfloat16="bf16", float32="fp32")
        torch.nn = module("torch.nn", Module=object)
        torch.autograd = module("torch.autograd", Function=object)
        package = module("package")
        package.__path__ = [str(FOLDER)]
        module("package.attention",
               deformable_attention=lambda *arguments: calls.append(arguments) or "ours")
        module("package.fused", fused_attention=lambda *arguments, padding_mask=None, points=None: fused_calls.append(
            (*arguments, padding_mask, points)) or "ours")
        self.patched = importlib.import_module("package.patch").patched
        calls.clear()
        fused_calls.clear()

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

    def test_replaces_frozen_norms_unless_they_are_to_stay(self):
        norm = type("DetrFrozenBatchNorm2d", (), {"forward": lambda self, x: "theirs", "__module__": "models.backbone"})
        before = norm.forward
        module("models.backbone", DetrFrozenBatchNorm2d=norm)
        module("models.detr", DetrFrozenBatchNorm2d=norm)
        with self.patched(norms=False) as report:
            self.assertEqual(report.replaced, [])
        with self.patched() as report:
            self.assertEqual(report.replaced, ["models.backbone.DetrFrozenBatchNorm2d.forward"])
            self.assertIsNot(norm.forward, before)
        self.assertIs(norm.forward, before)

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

    def test_replaces_forwards_of_modules_by_the_operator_from_offsets_on(self):
        theirs = of_mmcv("mmcv.ops.multi_scale_deform_attn")
        module("mmcv.ops.multi_scale_deform_attn", MultiScaleDeformableAttention=theirs)
        module("mmdet.layers", MultiScaleDeformableAttention=theirs)
        attention, before = theirs(), theirs.forward
        attention.output_proj, attention.dropout = Layer, lambda output: output
        with self.patched() as report:
            self.assertEqual(report.replaced, ["mmcv.ops.multi_scale_deform_attn.MultiScaleDeformableAttention.forward"])
            attention.forward(Layer("query"), value=Layer("value"), query_pos=Layer("position"),
                              key_padding_mask=Layer("mask"), reference_points=References("references"),
                              spatial_shapes="shapes")
            self.assertEqual(calls, [("query", "position"), ("ours", "query")])
            value, shapes, references, offsets, logits, mask, _ = fused_calls[0]
            self.assertEqual([part.name for part in (value, references, offsets, logits, mask)],
                             ["value_proj", "references", "sampling_offsets", "attention_weights", "mask"])
            self.assertEqual(shapes, "shapes")
        self.assertIs(theirs.forward, before)

    def test_leaves_calls_to_the_model_that_the_operator_is_not_for_and_says_so(self):
        name = "transformers.models.deformable_detr.modeling_deformable_detr"
        theirs = of_transformers(name)
        module(name, DeformableDetrMultiscaleDeformableAttention=theirs)
        given = {"hidden_states": Layer("query"), "encoder_hidden_states": Layer("value"), "attention_mask": 1,
                 "reference_points": References("references"), "spatial_shapes_list": [(3, 3)]}
        odd = theirs(adapter=Layer("adapter"))
        with self.patched() as report:
            self.assertEqual(theirs().forward(**given, output_attentions=True)[0], "theirs")
            self.assertEqual(odd.forward(**given)[0], "theirs")
            self.assertEqual(theirs().forward(**{**given, "spatial_shapes_list": [(3, 2)]})[0], "theirs")
            for _ in range(2):
                watched = theirs()
                watched._forward_hooks = {1: print}
                self.assertEqual(watched.forward(**given)[0], "theirs")
            self.assertEqual([why for _, why in report.left],
                             ["attention weights are asked for", "it has other layers than attentions of its kind",
                              "its sizes of levels contradict its values"])
            self.assertEqual(fused_calls, [])
            attention = theirs()
            attention.output_proj = lambda output: output
            self.assertEqual(attention.forward(**{**given, "attention_mask": Layer("mask")}), ("ours", None))
            self.assertEqual(fused_calls[0][1], [(3, 3)])
            self.assertIsNone(fused_calls[0][-1])
            attention.n_points_list = [3, 6, 3]
            attention.forward(**{**given, "attention_mask": None})
            self.assertEqual(fused_calls[1][-2:], (None, [3, 6, 3]))

    def test_inverts_masks_where_the_model_does(self):
        modules = importlib.import_module("package.modules")
        for inverts in (True, False):
            family = modules.OfTransformers(of_transformers("a", inverts).forward)
            self.assertEqual(family.mask({"attention_mask": 5}, "attention_mask"), -6 if inverts else 5)
            self.assertIsNone(family.mask({}, "attention_mask"))

    def test_leaves_forwards_that_take_other_arguments(self):
        name = "mmcv.ops.multi_scale_deform_attn"
        old = type("MultiScaleDeformableAttention", (Projections,),
                   {"forward": lambda self, query, value: "theirs", "__module__": name})
        module(name, MultiScaleDeformableAttention=old)
        with self.patched() as report:
            self.assertEqual(len(report), 0)
            self.assertIn("it takes no identity, key_padding_mask", report.left[0][1])

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
