"""Records what the deformable attentions of a running PyTorch model get, as inputs of MSDA Lab.

    from capture import captured

    with captured(model, "inputs"):
        model(images)

Each attention module that runs gets a directory, inputs/00-NAME and so on, in the layout of docs/problems.md:
`msda bench ... dir=` and `input:` of an experiment's problem read it. What is recorded
is what stands at the kernel's boundary, by the names that models have for it: the module
MultiScaleDeformableAttention and the function multi_scale_deformable_attention of Hugging Face transformers; the
autograd functions MultiScaleDeformableAttnFunction of mmcv, detrex, Grounding DINO and BEVFormer, and
MSDeformAttnFunction of Deformable DETR; and their substitutes in PyTorch. The models' code must have been
imported. Nothing but PyTorch's tensors is needed, and the model computes what it computes without this.
"""

import contextlib
import functools
import inspect
import json
import pathlib
import re
import struct
import sys

# Where a call has value, shapes, starts (None where there are none), locations and weights.
_FORWARD = (1, 3, 4, 5, 6)  # behind self; shapes are there twice, and the second time as a list
_APPLY = (0, 1, 2, 3, 4)
_PLAIN = (0, 1, None, 2, 3)

_CLASS = "MultiScaleDeformableAttention"
_AUTOGRAD = ("MultiScaleDeformableAttnFunction", "MSDeformAttnFunction")
_FUNCTIONS = ("multi_scale_deformable_attention", "multi_scale_deformable_attn_pytorch",
              "ms_deform_attn_core_pytorch")  # fmt: skip

_NPY_TYPES = {"float32": "<f4", "float16": "<f2", "bfloat16": "<V2", "int64": "<i8"}


def _write_npy(path, kind, shape, content):
    text = f"{{'descr': '{_NPY_TYPES[kind]}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + content)


def _write_tensor(path, tensor):
    plain = tensor.detach().contiguous().cpu()
    kind = str(plain.dtype).rpartition(".")[2]
    if kind not in _NPY_TYPES:
        raise TypeError(f"capture: {path.name} is {kind}; an input is {', '.join(_NPY_TYPES)}")
    if kind == "bfloat16":  # which NumPy has not
        plain = plain.view(sys.modules["torch"].int16)
    _write_npy(path, kind, plain.shape, plain.numpy().tobytes())


def _write_integers(path, shape, numbers):
    _write_npy(path, "int64", shape, struct.pack(f"<{len(numbers)}q", *numbers))


def _levels_of(shapes):
    """From a tensor, an array, or pairs of numbers or tensors."""
    rows = shapes.tolist() if hasattr(shapes, "tolist") else shapes
    return [(int(height), int(width)) for height, width in rows]


class _Recorder:
    def __init__(self, directory, match, most, outputs):
        self.directory = pathlib.Path(directory)
        self.match = re.compile(match)
        self.most = most
        self.outputs = outputs
        self.running = []  # names of the modules around a call, the innermost last
        self.calls = {}  # by module
        self.written = []

    def take(self, function, tensors, output):
        name = self.running[-1] if self.running else "attention"
        if not self.match.search(name) or self.calls.get(name, 0) >= self.most:
            return
        self.calls[name] = self.calls.get(name, 0) + 1
        value, shapes, starts, locations, weights = tensors
        levels = _levels_of(shapes)
        pixels = [height * width for height, width in levels]
        firsts = [sum(pixels[:level]) for level in range(len(levels))]
        if starts is not None:
            firsts = [int(first) for first in starts.tolist()]
        folder = self.directory / f"{len(self.written):02}-{re.sub('[^A-Za-z0-9_.-]', '_', name)}"
        folder.mkdir(parents=True)
        for key, tensor in (("value", value), ("sampling_locations", locations), ("attention_weights", weights)):
            _write_tensor(folder / f"{key}.npy", tensor)
        _write_integers(folder / "spatial_shapes.npy", (len(levels), 2), [size for pair in levels for size in pair])
        _write_integers(folder / "level_start_index.npy", (len(levels),), firsts)
        # In narrower types the model's own rounding would be taken for the truth.
        if self.outputs and str(output.dtype) == str(value.dtype) == "torch.float32":
            _write_tensor(folder / "output.npy", output.reshape(*locations.shape[:2], -1))
        origin = {"module": name, "function": function, "call": self.calls[name]}
        (folder / "capture.json").write_text(json.dumps(origin, indent=2) + "\n")
        self.written.append(folder)


def _recording(recorder, function, places, call):
    @functools.wraps(call)
    def recorded(*arguments, **named):
        output = call(*arguments, **named)
        given = inspect.signature(call).bind(*arguments, **named).args if named else arguments
        recorder.take(function, [None if at is None else given[at] for at in places], output)
        return output

    return recorded


def _replacements(recorder):
    """Of the modules that have been imported: owner, name, and what records in its place."""
    for module_name, module in list(sys.modules.items()):
        names = dict(getattr(module, "__dict__", {}))  # not getattr(module, ...), which may import
        for name, found in names.items():
            said = f"{module_name}.{name}"
            if name == _CLASS and module_name.startswith("transformers.models."):
                yield found, "forward", _recording(recorder, said, _FORWARD, found.forward)
            elif name.startswith(_AUTOGRAD) and isinstance(found, type):
                record = _recording(recorder, said, _APPLY, found.apply)
                yield module, name, type(name, (), {"apply": staticmethod(record)})
            elif name in _FUNCTIONS and callable(found):
                yield module, name, _recording(recorder, said, _PLAIN, found)


def _note_names(model, recorder):
    """Hooks that keep the stack of running modules; returns what removes them."""
    hooks = []
    for name, module in model.named_modules():
        if name:
            enter = lambda *_, name=name: recorder.running.append(name)  # noqa: E731
            hooks.append(module.register_forward_pre_hook(enter))
            hooks.append(module.register_forward_hook(lambda *_: recorder.running.pop() and None))
    return hooks


@contextlib.contextmanager
def captured(model, directory, match="", most=1, outputs=False):
    """Records while it lasts the first `most` calls of each attention whose module's name matches the regular
    expression `match`; with `outputs` also what it gave, in fp32. Gives the list of directories, which grows.
    Raises FileExistsError rather than write over an earlier capture, and RuntimeError at its end where nothing
    was seen."""
    recorder = _Recorder(directory, match, most, outputs)
    if recorder.directory.exists() and any(recorder.directory.iterdir()):
        raise FileExistsError(f"capture: {directory} is not empty: name a new directory")
    undo = {}
    hooks = _note_names(model, recorder)
    try:
        for owner, name, replacement in _replacements(recorder):
            if (id(owner), name) not in undo:
                undo[id(owner), name] = (owner, name, getattr(owner, name))
                setattr(owner, name, replacement)
        yield recorder.written
    finally:
        for owner, name, before in undo.values():
            setattr(owner, name, before)
        for hook in hooks:
            hook.remove()
    if not recorder.written:
        raise RuntimeError("capture: no deformable attention ran under a name that is known here"
                           + (f", in a module that matches '{match}'" if match else ""))
