#!/usr/bin/env python3
"""Captures models that are made of stand-ins for PyTorch's modules and tensors, under the names that
transformers, mmcv, detrex and Deformable DETR have; the program reads what was written, and its own result is
the models'.

usage: capture_test.py FOLDER_OF_CAPTURE PROGRAM
"""
import array
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, sys.argv[1])
import capture  # noqa: E402

PROGRAM = sys.argv[2]
LEVELS = [(3, 4), (2, 2)]
BATCH, QUERIES, HEADS, CHANNELS, POINTS = 2, 3, 2, 4, 2


class Tensor:
    """Numbers in rows, with what the script asks of PyTorch's."""

    def __init__(self, numbers, shape, code="f", dtype="torch.float32"):
        self.numbers, self.shape, self.code, self.dtype = list(numbers), tuple(shape), code, dtype
        assert len(self.numbers) == math.prod(self.shape)

    detach = contiguous = cpu = numpy = lambda self: self

    def tobytes(self):
        return array.array(self.code, self.numbers).tobytes()

    def reshape(self, *shape):
        known = math.prod(size for size in shape if size > 0)
        return Tensor(self.numbers, [size if size > 0 else len(self.numbers) // known for size in shape],
                      self.code, self.dtype)

    def tolist(self):
        step = len(self.numbers) // self.shape[0]
        if len(self.shape) == 1:
            return self.numbers
        return [self.numbers[i : i + step] for i in range(0, len(self.numbers), step)]

    def view(self, dtype):
        return Tensor(self.numbers, self.shape, self.code, str(dtype))


class Module:
    def __init__(self, **children):
        self.children, self.before, self.after = children, [], []

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def _hook(self, hooks, hook):
        hooks.append(hook)
        return types.SimpleNamespace(remove=lambda: hooks.remove(hook))

    def register_forward_pre_hook(self, hook):
        return self._hook(self.before, hook)

    def register_forward_hook(self, hook):
        return self._hook(self.after, hook)

    def __call__(self, *arguments):
        assert all(hook(self, arguments) is None for hook in self.before)
        output = self.forward(*arguments)
        assert all(hook(self, arguments, output) is None for hook in self.after)
        return output


def numbers(count, seed):
    """Between 0 and 1, and no sum of powers of two."""
    return [(math.sin(seed + 12.9898 * i) * 43758.5453) % 1 for i in range(count)]


def attend(value, locations, weights):
    """The operator, as docs/problems.md defines it."""
    pixels = sum(height * width for height, width in LEVELS)
    result = []
    for row in range(BATCH * QUERIES * HEADS):
        image, head = row // (QUERIES * HEADS), row % HEADS
        for channel in range(CHANNELS):
            total, start, point = 0.0, 0, row * len(LEVELS) * POINTS
            for height, width in LEVELS:
                for at in range(point, point + POINTS):
                    x = locations.numbers[2 * at] * width - 0.5
                    y = locations.numbers[2 * at + 1] * height - 0.5
                    for py in (math.floor(y), math.floor(y) + 1):
                        for px in (math.floor(x), math.floor(x) + 1):
                            if 0 <= px < width and 0 <= py < height:
                                pixel = (image * pixels + start + py * width + px) * HEADS + head
                                tap = (1 - abs(x - px)) * (1 - abs(y - py))
                                total += weights.numbers[at] * tap * value.numbers[pixel * CHANNELS + channel]
                start += height * width
                point += POINTS
            result.append(total)
    return Tensor(result, (BATCH, QUERIES, HEADS * CHANNELS))


def tensors():
    pixels = sum(height * width for height, width in LEVELS)
    points = BATCH * QUERIES * HEADS * len(LEVELS) * POINTS
    shape = (BATCH, QUERIES, HEADS, len(LEVELS), POINTS)
    return (Tensor(numbers(BATCH * pixels * HEADS * CHANNELS, 1), (BATCH, pixels, HEADS, CHANNELS)),
            Tensor(numbers(2 * points, 2), (*shape, 2)), Tensor(numbers(points, 3), shape))


SHAPES = Tensor([size for pair in LEVELS for size in pair], (len(LEVELS), 2), "q", "torch.int64")
STARTS = Tensor([0, 12], (2,), "q", "torch.int64")


class MultiScaleDeformableAttention(Module):
    def forward(self, value, value_spatial_shapes, value_spatial_shapes_list, level_start_index,
                sampling_locations, attention_weights, im2col_step):
        return attend(value, sampling_locations, attention_weights)


class Function:
    @staticmethod
    def apply(value, shapes, starts, locations, weights, im2col_step):
        return attend(value, locations, weights)


class Layer(Module):
    """Computes by `call`, and runs its children before."""

    def __init__(self, call=None, **children):
        super().__init__(**children)
        self.call = call

    def forward(self, *arguments):
        for child in self.children.values():
            child(*arguments)
        return self.call(*arguments) if self.call else None


def module(name, **names):
    made = types.ModuleType(name)
    vars(made).update(names)
    sys.modules[name] = made
    return made


def bench(folder):
    """What the program says of the directory, once it has verified a kernel on it."""
    said = subprocess.run([PROGRAM, "bench", "cpu-scalar", f"dir={folder}", "--device", "cpu"],
                          capture_output=True, text=True, check=False)
    return said.returncode, said.stdout + said.stderr


class Capture(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = pathlib.Path(self.folder.name) / "inputs"
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))

    def check_directory(self, folder, name):
        self.assertEqual(json.loads((folder / "capture.json").read_text())["module"], name)
        code, said = bench(folder)
        self.assertEqual(code, 0, said)
        self.assertIn("B=2 Q=3 H=2 C=4 L=2 P=2", said)

    def test_transformers(self):
        owner = module("transformers.models.a.modeling_a", MultiScaleDeformableAttention=MultiScaleDeformableAttention)
        before = MultiScaleDeformableAttention.forward
        attention = owner.MultiScaleDeformableAttention()
        value, locations, weights = tensors()
        inputs = (value, SHAPES, LEVELS, STARTS, locations, weights, 64)
        model = Layer(encoder=Layer(attn=attention))
        with capture.captured(model, self.output, outputs=True) as written:
            model(*inputs)
            model(*inputs)
        self.assertEqual([folder.name for folder in written], ["00-encoder.attn"])
        self.check_directory(written[0], "encoder.attn")
        self.assertTrue((written[0] / "output.npy").exists())
        self.assertIs(MultiScaleDeformableAttention.forward, before)
        self.assertFalse(attention.before or attention.after)

    def test_functions_of_transformers_with_named_arguments(self):
        def multi_scale_deformable_attention(value, value_spatial_shapes, sampling_locations, attention_weights):
            return attend(value, sampling_locations, attention_weights)

        owner = module("transformers.models.b.modeling_b",
                       multi_scale_deformable_attention=multi_scale_deformable_attention)
        value, locations, weights = tensors()
        model = Layer(attention=Layer(lambda: owner.multi_scale_deformable_attention(
            value, LEVELS, attention_weights=weights, sampling_locations=locations)))
        with capture.captured(model, self.output, outputs=True) as written:
            model()
        self.check_directory(written[0], "attention")
        self.assertIs(owner.multi_scale_deformable_attention, multi_scale_deformable_attention)

    def test_autograd_functions(self):
        for number, (name, function) in enumerate((
                ("mmcv.ops.multi_scale_deform_attn", "MultiScaleDeformableAttnFunction"),
                ("detrex.layers.multi_scale_deform_attn", "MultiScaleDeformableAttnFunction"),
                ("models.ops.modules.ms_deform_attn", "MSDeformAttnFunction"),
                ("bevformer.multi_scale_deformable_attn_function", "MultiScaleDeformableAttnFunction_fp32"))):
            owner = module(name, **{function: Function})
            value, locations, weights = tensors()
            call = lambda: getattr(owner, function).apply(  # noqa: B023, E731
                value, SHAPES, STARTS, locations, weights, 64)  # noqa: B023
            model = Layer(first=Layer(call), second=Layer(call))
            with capture.captured(model, self.output / str(number), match="second") as written:
                model()
            self.assertEqual([folder.name for folder in written], ["00-second"])
            self.check_directory(written[0], "second")
            self.assertFalse((written[0] / "output.npy").exists())
            self.assertIs(getattr(owner, function), Function)

    def test_a_wrong_result_of_the_model_shows(self):
        owner = module("mmcv.ops.multi_scale_deform_attn", MultiScaleDeformableAttnFunction=Function)
        value, locations, weights = tensors()
        model = Layer(attention=Layer(lambda: owner.MultiScaleDeformableAttnFunction.apply(
            value, SHAPES, STARTS, locations, weights, 64)))
        with capture.captured(model, self.output, outputs=True) as written:
            model()
        content = bytearray((written[0] / "output.npy").read_bytes())
        content[-4:] = array.array("f", [77.0]).tobytes()
        (written[0] / "output.npy").write_bytes(content)
        code, said = bench(written[0])
        self.assertNotEqual(code, 0, said)

    def test_narrow_types(self):
        owner = module("mmcv.ops.multi_scale_deform_attn", MultiScaleDeformableAttnFunction=Function)
        module("torch", int16="torch.int16")
        halves = [Tensor([0x3C00] * len(t.numbers), t.shape, "H", "torch.float16") for t in tensors()]
        brains = [Tensor([0x3F80] * len(t.numbers), t.shape, "H", "torch.bfloat16") for t in tensors()]
        for name, (value, locations, weights) in (("fp16", halves), ("bf16", brains)):
            model = Layer(attention=Layer(lambda: owner.MultiScaleDeformableAttnFunction.apply(
                value, SHAPES, STARTS, locations, weights, 64)))  # noqa: B023
            with capture.captured(model, self.output / name, outputs=True) as written:
                model()
            self.check_directory(written[0], "attention")
            self.assertFalse((written[0] / "output.npy").exists())
            self.assertIn(name, bench(written[0])[1])

    def test_refusals(self):
        model = Layer(attention=Layer(lambda: None))
        with self.assertRaisesRegex(RuntimeError, "no deformable attention ran"):
            with capture.captured(model, self.output):
                model()
        self.output.mkdir()
        (self.output / "mine").write_text("")
        with self.assertRaisesRegex(FileExistsError, "is not empty"):
            with capture.captured(model, self.output):
                pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
