"""Measured steps: losses of a training, and images of ten sizes, as they are and as CUDA graphs."""

import contextlib
import statistics
import time

import torch

from . import DEVICE, Skip, kept, needs_a_gpu
from .models import deformable_detr, gpu_milliseconds, gpu_times, make, smooth_images, tensors_of, transformers
from @PACKAGE@ import patched

STEPS = 200
SIZES = [(608, 800), (640, 853), (672, 896), (704, 938), (736, 981), (768, 1024), (800, 1066), (800, 1120), (800, 1200),
         (800, 1333)]


def _losses(seed, steps):
    """Of a Deformable DETR that learns random targets, one image of 256 pixels a step, in fp32."""
    model, _ = make(deformable_detr, seed=seed)
    model.train()
    torch.manual_seed(1)  # the same data and dropouts for all
    images = smooth_images(8, 3, 256, 256)
    targets = torch.rand(8, 1, 4, device=DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    losses = []
    for step in range(steps):
        image = step % 8
        output = tensors_of(model(pixel_values=images[image:image + 1]))
        loss = (output["pred_boxes"] - targets[image]).abs().mean() + output["logits"].float().logsumexp(-1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        losses.append(loss.detach())
    return [round(loss, 7) for loss in torch.stack(losses).tolist()]


def _smooth(losses, width=16):
    return [statistics.mean(losses[max(0, i - width):i + 1]) for i in range(len(losses))]


def losses_of_a_training():
    """The curve with the operator against the model's own, beside the distance of two seeds of the model's own."""
    needs_a_gpu()
    transformers()
    own, other = _losses(1, STEPS), _losses(2, STEPS)
    with patched():
        ours = _losses(1, STEPS)
    apart = lambda a, b: max(abs(x - y) for x, y in zip(_smooth(a), _smooth(b)))  # noqa: E731
    with kept({"ours": apart(ours, own), "two_seeds": apart(own, other), "first": own[0], "last": own[-1],
               "last_ours": ours[-1], "steps": STEPS, "losses": own, "losses_ours": ours}) as said:
        assert said["ours"] <= said["two_seeds"], "the curve with the operator leaves the spread of two seeds"
        assert own[-1] < own[0], "the model learns nothing"
    return said


def _wall(function):
    torch.cuda.synchronize()
    began = time.perf_counter()
    function()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - began)


def ten_sizes(rounds=7):
    """Milliseconds of one inference in fp16 of each of ten sizes, all ten together: GPU time of the model as it is, with
    its attentions replaced, of the patched one, and of graphs of that, a graph for each size; wall time of the graphs."""
    needs_a_gpu()
    transformers()
    model, _ = make(deformable_detr, torch.float16)
    images = [smooth_images(1, 3, *size).half() for size in SIZES]
    calls = [lambda image=image: model(pixel_values=image) for image in images]
    with kept({"sizes": SIZES}) as said, torch.no_grad():
        said.update(gpu_times(lambda: _run(calls), 1))
        with patched(), _lists_kept():
            _run(calls)
            replays = [_captured(call).replay for call in calls]
        said["gpu_of_graphs_ms"] = gpu_milliseconds(lambda: _run(replays))
        said["wall_of_graphs_ms"] = statistics.median(_wall(lambda: _run(replays)) for _ in range(rounds))
        said["wall_over_gpu"] = said["wall_of_graphs_ms"] / said["gpu_of_graphs_ms"]
    return said


@contextlib.contextmanager
def _lists_kept():
    """Lists of numbers that a model copies to the GPU in each call, sizes of levels say, are copied once: a graph cannot
    wait for the host."""
    kept, before = {}, {name: getattr(torch, name) for name in ("tensor", "as_tensor")}

    def keep(make):
        def made(data, *arguments, **options):
            if not isinstance(data, (list, tuple)) or any(isinstance(part, torch.Tensor) for part in data):
                return make(data, *arguments, **options)
            key = make, repr(data), repr(arguments), repr(sorted(options.items()))
            if key not in kept:
                kept[key] = make(data, *arguments, **options)
            return kept[key]

        return made

    try:
        for name, make in before.items():
            setattr(torch, name, keep(make))
        yield
    finally:
        for name, make in before.items():
            setattr(torch, name, make)


def _run(calls):
    for call in calls:
        call()


def _captured(function):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            function()
    except RuntimeError as error:
        raise Skip(f"this model cannot be captured: {error}") from error
    return graph


CHECKS = (losses_of_a_training, ten_sizes)
