"""Puts a Python callable behind the C entries of msda/external.h.

The program runs this text in an interpreter of its own process. It calls open_callable() once for each arm; from
then on it sees C functions alone. Tensors are wrapped where they lie: nothing is copied on the way in.
"""

import contextlib
import ctypes
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback


class Problem(ctypes.Structure):
    """struct msda_problem."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("abi", ctypes.c_uint32),
        ("device", ctypes.c_int32),
        ("layout", ctypes.c_int32),
        ("value_type", ctypes.c_int32),
        ("location_type", ctypes.c_int32),
        ("weight_type", ctypes.c_int32),
        ("output_type", ctypes.c_int32),
        ("batch", ctypes.c_int64),
        ("spatial_size", ctypes.c_int64),
        ("heads", ctypes.c_int64),
        ("channels", ctypes.c_int64),
        ("levels", ctypes.c_int64),
        ("queries", ctypes.c_int64),
        ("points", ctypes.c_int64),
        ("shapes", ctypes.POINTER(ctypes.c_int64)),
        ("starts", ctypes.POINTER(ctypes.c_int64)),
        ("options", ctypes.c_char_p),
        ("operator_name", ctypes.c_char_p),
        ("reference_type", ctypes.c_int32),
        ("reference_coordinates", ctypes.c_int32),
        ("reference_anchors", ctypes.c_int64),
        ("level_points", ctypes.POINTER(ctypes.c_int64)),
        ("box_parts", ctypes.POINTER(ctypes.c_float)),
        ("padded", ctypes.c_int32),
    ]


class Answer(ctypes.Structure):
    """struct msda_answer."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("abi", ctypes.c_uint32),
        ("wants_logits", ctypes.c_int32),
        ("refusal", ctypes.c_char_p),
    ]


class Tensor(ctypes.Structure):
    """struct msda_tensor."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("role", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("extent", ctypes.c_int64 * 6),
    ]

    def shape(self):
        return tuple(self.extent[: self.rank])

    def elements(self):
        count = 1
        for extent in self.shape():
            count *= extent
        return count


QUERY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Problem), ctypes.POINTER(Answer))
# Of an entry and of what prepares it: the fourth is the state, which stays on this side.
ENTRY = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Tensor), ctypes.c_int32, ctypes.POINTER(Problem), ctypes.c_void_p, ctypes.c_void_p
)
# The address of a text: ctypes would not keep the bytes of a c_char_p that a callback returns.
ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)

ABI = 1
CUDA = 2  # enum msda_device
BF16 = 2  # enum msda_type
OUTPUT = 1  # enum msda_role
ZERO_BORDER = 1  # enum msda_layout
TYPES = ("float32", "float16", "bfloat16", "int64", "bool")
WIDTHS = (4, 2, 2, 8, 1)
# The names that public implementations give to a tensor, beside ours.
ALIASES = {
    "sampling_locations": "locations",
    "sampling_loc": "locations",
    "sampling_points": "locations",
    "attention_weights": "weights",
    "attn_weight": "weights",
    "attn_weights": "weights",
    "attention_logits": "logits",
    "value_spatial_shapes": "spatial_shapes",
    "img": "value",
    "img_shapes": "spatial_shapes",
    "value_level_start_index": "level_start_index",
}
SHAPES_AS_LIST = ("spatial_shapes_list", "value_spatial_shapes_list")
POINTS_AS_LIST = ("num_points_list", "points_per_level")
# What callables without a signature get, in the order of the field's operators.
POSITIONAL = ("value", "spatial_shapes", "level_start_index", "locations", "weights")


class Refusal(Exception):
    """A problem, or a machine, that the callable is not for: its cells are skipped."""


def in_shape_of(output, result):
    """A returned tensor as the output holds it; PyTorch and NumPy have other words for one that does not fit."""
    try:
        return result.reshape(output.shape)
    except (RuntimeError, ValueError):
        raise ValueError(f"returned the shape {tuple(result.shape)}, the output has {tuple(output.shape)}") from None


class TorchTensors:
    """Tensors of PyTorch that lie where the program's tensors lie."""

    def __init__(self, torch):
        self.torch = torch

    def wrap(self, tensor, on_cuda):
        torch = self.torch
        dtype = getattr(torch, TYPES[tensor.type])
        if tensor.elements() == 0:
            return torch.empty(tensor.shape(), dtype=dtype, device="cuda" if on_cuda else "cpu")
        if not on_cuda:
            size = tensor.elements() * WIDTHS[tensor.type]
            memory = (ctypes.c_char * size).from_address(tensor.data)
            return torch.frombuffer(memory, dtype=dtype).view(tensor.shape())
        stored = "<i2" if tensor.type == BF16 else ("<f4", "<f2", "", "<i8", "|b1")[tensor.type]

        class Memory:
            __cuda_array_interface__ = {
                "shape": tensor.shape(),
                "typestr": stored,
                "data": (tensor.data, False),
                "version": 3,
            }

        return torch.as_tensor(Memory(), device="cuda").view(dtype)

    def on(self, stream):
        if stream is None:
            return contextlib.nullcontext()
        return self.torch.cuda.stream(self.torch.cuda.ExternalStream(stream))

    def copy(self, to, result):
        result = self.torch.as_tensor(result)
        if result.data_ptr() != to.data_ptr():
            to.copy_(in_shape_of(to, result))


class NumpyTensors:
    """Arrays of NumPy, for callables on the CPU where there is no PyTorch."""

    def __init__(self, numpy):
        self.numpy = numpy

    def wrap(self, tensor, on_cuda):
        if on_cuda:
            raise Refusal("PyTorch is not installed for " + sys.executable)
        if tensor.type == BF16:
            raise Refusal("NumPy has no bfloat16, and PyTorch is not installed for " + sys.executable)
        size = tensor.elements() * WIDTHS[tensor.type]
        memory = (ctypes.c_char * size).from_address(tensor.data or 0) if size else b""
        return self.numpy.frombuffer(memory, dtype=TYPES[tensor.type]).reshape(tensor.shape())

    def on(self, stream):
        return self.numpy.errstate()  # how an arm handles errors of numbers is put back

    def copy(self, to, result):
        self.numpy.copyto(to, in_shape_of(to, self.numpy.asarray(result)), casting="same_kind")


def tensors_of_framework():
    for module, wrapper in (("torch", TorchTensors), ("numpy", NumpyTensors)):
        try:
            return wrapper(importlib.import_module(module))
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
    raise Refusal("neither PyTorch nor NumPy is installed for " + sys.executable)


def find_function(callable_name):
    """`FILE.py:FUNCTION`, or `MODULE:FUNCTION` with a folder before it in which the module may lie as well."""
    place, colon, name = callable_name.rpartition(":")
    if not colon or not name:
        raise ValueError(f"'{callable_name}' is no FILE.py:FUNCTION and no PACKAGE.MODULE:FUNCTION")
    folder, module_name = os.path.split(place)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if module_name.endswith(".py"):
        if not os.path.exists(place):
            raise Refusal(f"there is no file {place}")
        spec = importlib.util.spec_from_file_location(module_name[:-3], place)
        found = importlib.util.module_from_spec(spec)
        sys.modules[module_name[:-3]] = found
        spec.loader.exec_module(found)
    else:
        found = importlib.import_module(module_name)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters_of(function):
    """The parameters by name, or None for a callable without a signature."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    kinds = {parameter.kind for parameter in parameters.values()}
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY}:
        return None
    return {n: p for n, p in parameters.items() if p.kind != inspect.Parameter.VAR_KEYWORD}


def as_dict(problem):
    levels = [(problem.shapes[2 * i], problem.shapes[2 * i + 1]) for i in range(problem.levels)]
    sizes = ("batch", "spatial_size", "heads", "channels", "queries", "points")
    types = ("value_type", "location_type", "weight_type", "output_type")
    return {
        "operator": problem.operator_name.decode(),
        "device": "cuda" if problem.device == CUDA else "cpu",
        "levels": levels,
        "points_per_level": problem.level_points[: problem.levels],
        "anchors": problem.reference_anchors,
        "box_parts": problem.box_parts[: sum(problem.level_points[: problem.levels])] if problem.box_parts else [],
        **{size: getattr(problem, size) for size in sizes},
        **{kind: TYPES[getattr(problem, kind)] for kind in types},
    }


class Arm:
    """One callable, with its calls prepared for the tensors that it has seen."""

    def __init__(self, callable_name):
        self.callable_name = callable_name
        self.function = None
        self.parameters = None
        self.framework = None
        self.options = {}
        self.calls = {}
        self.prepared = {}  # what the function's `prepare` has made of an input set, by its addresses
        self.refusal = None
        self.error = ctypes.create_string_buffer(b"")
        self.failure = None  # why there is no function; the query says so
        try:
            self.function = find_function(callable_name)
        except BaseException as failure:
            self.failure = failure

    def prepares(self):
        return callable(getattr(self.function, "prepare", None))

    def guarded(self, action):
        try:
            action()
            return 0
        except BaseException as error:  # whatever is raised must not pass through C
            traceback.print_exc()
            text = f"{type(error).__name__}: {error}"
            self.error = ctypes.create_string_buffer(text.encode("utf-8", "replace"))
            return 1

    def query(self, problem, answer):
        try:
            self.open(problem)
        except Refusal as refusal:
            self.refusal = str(refusal).encode()
        answer.abi = ABI
        answer.refusal = self.refusal
        wanted = {ALIASES.get(name, name) for name in self.parameters or ()}
        answer.wants_logits = int("logits" in wanted and problem.operator_name == b"forward")

    def open(self, problem):
        if problem.size != ctypes.sizeof(Problem):
            raise RuntimeError("msda_problem has another size here than in the program")
        if problem.layout == ZERO_BORDER:
            raise Refusal("tensors of Python have no border")
        if isinstance(self.failure, ModuleNotFoundError):
            raise Refusal(f"there is no Python module {self.failure.name} for {sys.executable}")
        if self.failure is not None:
            raise self.failure
        self.framework = tensors_of_framework()
        self.parameters = parameters_of(self.function)
        self.options = json.loads(problem.options) if problem.options else {}
        if not isinstance(self.options, dict):
            raise ValueError("options are no JSON object of keyword arguments")
        refuses = getattr(self.function, "refuses", None)
        reason = refuses(as_dict(problem)) if callable(refuses) else None
        if reason:
            raise Refusal(str(reason))

    def bind(self, tensors, problem, parameters, **more):
        """The arguments and outputs of a call on these tensors."""
        on_cuda = problem.device == CUDA
        named = {t.name.decode(): self.framework.wrap(t, on_cuda) for t in tensors}
        outputs = [named[t.name.decode()] for t in tensors if t.role == OUTPUT]
        if parameters is None:
            names = POSITIONAL if problem.operator_name == b"forward" else [t.name.decode() for t in tensors if t.role != OUTPUT]
            return [named[name] for name in names] + list(self.options.values()), outputs
        arguments = dict(self.options) | {name: value for name, value in more.items() if value is not None}
        for name, parameter in parameters.items():
            tensor = ALIASES.get(name, name)
            if name in arguments:
                continue
            if tensor in named:
                arguments[name] = named[tensor]
            elif name in SHAPES_AS_LIST:
                arguments[name] = as_dict(problem)["levels"]
            elif name in POINTS_AS_LIST:
                arguments[name] = as_dict(problem)["points_per_level"]
            elif name == "im2col_step":
                arguments[name] = 64
            elif name == "anchors":
                arguments[name] = problem.reference_anchors
            elif parameter.default is inspect.Parameter.empty:
                raise TypeError(
                    f"{self.callable_name} has the parameter '{name}', which is no tensor of the operator "
                    f"({', '.join(named)}); give it in options or a default"
                )
        return arguments, outputs

    def prepare(self, tensors, problem, stream):
        """Again for the same tensors it leaves the result where it was: a graph reads it there."""
        function = self.function.prepare
        with self.framework.on(stream):
            made = function(**self.bind(tensors, problem, parameters_of(function))[0])
            key = key_of(tensors)
            for to, one in zip(self.prepared.setdefault(key, made), made):
                self.framework.copy(to, one)

    def launch(self, tensors, problem, stream):
        key = key_of(tensors)
        if key not in self.calls:
            self.calls[key] = self.bind(tensors, problem, self.parameters, prepared=self.prepared.get(key))
        arguments, outputs = self.calls[key]
        with self.framework.on(stream):
            function = self.function
            result = function(**arguments) if isinstance(arguments, dict) else function(*arguments)
            if result is not None:
                self.take(result, outputs)

    def take(self, result, outputs):
        results = result if isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(outputs):
            raise TypeError(f"{self.callable_name} returned {len(results)} tensors; the outputs are {len(outputs)}")
        for to, one in zip(outputs, results):
            self.framework.copy(to, one)


def key_of(tensors):
    return tuple(t.data for t in tensors)


KEPT = []  # callbacks must outlive every call


def open_callable(address, name_address, name_size):
    """Writes the four C functions of an arm to `address`; the last is null where nothing is prepared."""
    arm = Arm(ctypes.string_at(name_address, name_size).decode())

    def entry(call):
        return ENTRY(
            lambda tensors, count, problem, _, stream: arm.guarded(lambda: call(tensors[:count], problem[0], stream))
        )

    callbacks = (
        QUERY(lambda problem, answer: arm.guarded(lambda: arm.query(problem[0], answer[0]))),
        entry(arm.launch),
        ERROR(lambda code: ctypes.addressof(arm.error)),
        *([entry(arm.prepare)] if arm.prepares() else []),
    )
    KEPT.append((arm, callbacks))
    functions = (ctypes.c_void_p * 4).from_address(address)
    for i, callback in enumerate(callbacks):
        functions[i] = ctypes.cast(callback, ctypes.c_void_p).value
