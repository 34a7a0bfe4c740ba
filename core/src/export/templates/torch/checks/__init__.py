"""What the checks share: tensors, distances, and what the export says of its kernels."""

import contextlib
import json
import pathlib

import torch

from @PACKAGE@ import deformable_attention, reference
from @PACKAGE@._ops import ops

EXPORT = json.loads((pathlib.Path(__file__).resolve().parent.parent / "src" / "export.json").read_text())
KERNELS = EXPORT["kernels"]
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
SMALL = [(9, 12), (5, 6), (3, 3)]
CUDA = torch.cuda.is_available()
DEVICE = torch.device("cuda:0" if CUDA else "cpu")


class Skip(Exception):
    pass


@contextlib.contextmanager
def kept(said):
    """What a check has measured before it fails goes along with the failure."""
    try:
        yield said
    except Exception as error:
        error.said = said
        raise


def needs_a_gpu():
    if not CUDA:
        raise Skip("no GPU")


def tensors(levels=SMALL, dtype=torch.float32, device=DEVICE, batch=2, queries=33, heads=4, channels=32, points=4,
            outside=0.2, location_type=None, seed=7):
    generator = torch.Generator(device="cpu").manual_seed(seed)
    rand = lambda *sizes: torch.rand(*sizes, generator=generator)  # noqa: E731
    pixels = sum(h * w for h, w in levels)
    value = rand(batch, pixels, heads, channels) - 0.5
    locations = rand(batch, queries, heads, len(levels), points, 2) * (1 + 2 * outside) - outside
    weights = rand(batch, queries, heads, len(levels) * points).softmax(-1)
    weights = weights.view(batch, queries, heads, len(levels), points)
    return value.to(device, dtype), locations.to(device, location_type or dtype), weights.to(device, dtype)


def call(levels, parts):
    value, locations, weights = parts
    return deformable_attention(value, levels, locations, weights)


def call_with_sizes_there(levels, parts):
    """Sizes in the memory of the device, where nobody looks before the kernel does; on the CPU too."""
    value, locations, weights = parts
    return ops.forward_on_device(value, torch.tensor(levels, device=value.device), None, locations, weights)


def exact(value, levels, locations, weights):
    return reference(value.double(), levels, locations.double(), weights.double())


def distance(output, truth):
    truth = truth.double()
    return ((output.double() - truth).norm() / truth.norm()).item()


def require(error, most, what):
    if not error <= most:
        raise AssertionError(f"{what}: relative L2 {error:.2e} exceeds {most:.0e}")
    return error


def trained(parts):
    return [part.detach().clone().requires_grad_() for part in parts]


def gradients_of(function, parts, grad=None):
    """Those of the sum of squares, or with respect to a gradient of the output."""
    parts = trained(parts)
    output = function(*parts)
    if grad is None:
        output.float().square().sum().backward()
    else:
        output.backward(grad)
    return [part.grad for part in parts]


def exact_gradients(levels, parts, grad=None):
    parts = [part.detach().double().requires_grad_() for part in parts]
    output = reference(parts[0], levels, parts[1], parts[2])
    if grad is None:
        output.square().sum().backward()
    else:
        output.backward(grad.double())
    return [part.grad for part in parts]


def kernels(operator):
    """Those of the export that the operator of PyTorch can ask for."""
    return [k for k in KERNELS if k["operator"] == operator and k["layout"] == "plain"]


def shape_of(kernel):
    return {
        "levels": [tuple(level) for level in kernel["levels"]],
        "dtype": TYPES[kernel["types"][0]],
        "location_type": TYPES[kernel["types"][1]],
        "heads": kernel["heads"],
        "channels": kernel["channels"],
        "points": kernel["points"],
    }


def runs_here(kernel):
    return CUDA and int("".join(map(str, torch.cuda.get_device_capability()))) >= kernel["least_capability"]


def pyramids(kernel):
    """Level sizes for a kernel: its own, or where it takes any others that it was not made for, ascending ones too."""
    own = [tuple(level) for level in kernel["levels"]]
    if kernel["form"] == "fixed":
        return [own]
    count = len(own)
    return [own, [(11 * (count - l) + 2, 7 * (count - l) + 3) for l in range(count)],
            [(3 * l + 2, 5 * l + 2) for l in range(count)]]
