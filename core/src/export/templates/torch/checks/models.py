"""Models of Hugging Face transformers with random weights: outputs and gradients with the operator and without, held
against exact attention, and times in pairs that take turns."""

import collections
import contextlib
import copy
import gc
import io
import random
import statistics

import torch

from . import CUDA, DEVICE, SMALL, TYPES, Skip, deformable_attention, distance, exact, kept, require
from .fused import exact as exact_from_offsets
from .modules import counted, replaced
from @PACKAGE@ import form, form_of_fused, patched

LAYER = "MultiScaleDeformableAttention"


def transformers():
    try:
        import transformers
    except ImportError as missing:
        raise Skip("no transformers") from missing
    return transformers


def deformable_detr():
    hf = transformers()
    backbone = hf.ResNetConfig(out_features=["stage2", "stage3", "stage4"])
    try:
        config = hf.DeformableDetrConfig(backbone_config=backbone)
    except ValueError:  # older versions have another backbone unless it is taken back
        config = hf.DeformableDetrConfig(backbone_config=backbone, use_timm_backbone=False,
                                         use_pretrained_backbone=False, backbone=None)
    # The levels of a padded image of 800 x 1066 are those of the preset ddetr-encoder.
    return hf.DeformableDetrForObjectDetection(config), (2, 3, 800, 1066)


def rt_detr():
    hf = transformers()
    return hf.RTDetrForObjectDetection(hf.RTDetrConfig()), (8, 3, 640, 640)


def rt_detr_v2():
    hf = transformers()
    return hf.RTDetrV2ForObjectDetection(hf.RTDetrV2Config()), (2, 3, 640, 640)


def mask2former():
    hf = transformers()
    config = hf.Mask2FormerConfig(use_pretrained_backbone=False)
    return hf.Mask2FormerForUniversalSegmentation(config), (1, 3, 384, 384)


def settle_norms(model, images):
    """Gives batch norms the statistics of these images, as training would: without them the numbers of a
    new RT-DETR grow from block to block until fp16 has no room for them."""
    def settle(norm, arguments):
        norm.running_mean.copy_(arguments[0].mean((0, 2, 3)))
        norm.running_var.copy_(arguments[0].var((0, 2, 3)))
        norm.weight.fill_(1)

    hooks = [module.register_forward_pre_hook(settle) for module in model.modules()
             if getattr(module, "running_var", None) is not None]
    with torch.no_grad():
        model(pixel_values=images)
    for hook in hooks:
        hook.remove()


def smooth_images(batch, channels, height, width):
    """Noise that changes over 256 pixels. Where it changed from pixel to pixel, features would too, and whoever
    rounds coordinates to fp16, as the models' own attention does, would read something else."""
    coarse = torch.randn(batch, channels, height // 256 + 2, width // 256 + 2, device=DEVICE)
    return torch.nn.functional.interpolate(coarse, (height, width), mode="bicubic")


def make(model_of, dtype=torch.float32, seed=11):
    torch.manual_seed(seed)
    model, size = model_of()
    # Offsets of a new model are all alike; these make each query look somewhere else.
    for name, parameter in model.named_parameters():
        if "sampling_offsets" in name and parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.02)
    model = model.to(DEVICE).eval()
    images = smooth_images(*size)
    if model.config.model_type.startswith("rt_detr"):
        settle_norms(model, images)
    return model.to(dtype), images.to(dtype)


def tensors_of(output):
    """Those that a model's users read."""
    names = ("logits", "pred_boxes", "class_queries_logits", "masks_queries_logits")
    return {name: output[name] for name in names if name in output}


def attention_inputs(model, outputs_of):
    """What each attention got and gave: layer by layer, so that nothing adds up."""
    seen = []
    hooks = [module.register_forward_hook(lambda m, a, o: seen.append((a, o)))
             for module in model.modules() if type(module).__name__ == LAYER]
    outputs = outputs_of(model)
    for hook in hooks:
        hook.remove()
    return seen, outputs


@contextlib.contextmanager
def exact_attention(model):
    """The model with attentions in float64 from their projections on, rounded once."""
    def from_offsets(value, levels, references, offsets, logits, anchors=False, **rest):
        levels = levels.tolist() if isinstance(levels, torch.Tensor) else levels
        parts = (value, references, offsets, logits)
        return exact_from_offsets(levels, parts, 2 if anchors else 0, **rest).to(value.dtype)

    def instead(module, arguments, output):
        value, _, levels, _, locations, weights = arguments[:6]
        return exact(value, levels, locations, weights).to(output.dtype)

    hooks = [module.register_forward_hook(instead) for module in model.modules()
             if type(module).__name__ == LAYER]
    with patched(), replaced(from_offsets):
        yield
    for hook in hooks:
        hook.remove()


def milliseconds(function):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    function()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


def gpu_kernels(function, calls=1):
    """Milliseconds and launches in a call of each kernel that it has run, from PyTorch's profiler."""
    function()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as recorded:
        for _ in range(calls):
            function()
        torch.cuda.synchronize()
    times = {}
    for event in recorded.key_averages():
        time = getattr(event, "self_device_time_total", 0) or getattr(event, "self_cuda_time_total", 0)
        if time > 0:
            times[event.key] = time / 1e3 / calls, event.count / calls
    return times


def gpu_milliseconds(function, calls=1):
    return sum(time for time, _ in gpu_kernels(function, calls).values())


def gpu_times(run, calls=3):
    """GPU time of the model as it is, with its attentions replaced, and with its frozen norms replaced, too; of the last
    one what kernels of the export take, and the longest of all."""
    said = {"gpu_before_ms": gpu_milliseconds(run, calls)}
    with patched(norms=False):
        said["gpu_modules_ms"] = gpu_milliseconds(run, calls)
    with patched():
        times = gpu_kernels(run, calls)
    said["gpu_after_ms"] = sum(time for time, _ in times.values())
    said["gpu_of_the_export_ms"] = sum(time for name, (time, _) in times.items() if "msda" in name)
    said["kernels"] = [{"kernel": name[:90], "ms": round(time, 4), "launches": count}
                       for name, (time, count) in sorted(times.items(), key=lambda item: -item[1][0])[:12]]
    return said


def interval_of_ratio(before, after, draws=2000):
    """Of the medians, in pairs of neighbours in time: 95%, by bootstrap."""
    pairs = list(zip(before, after))
    generator = random.Random(5)
    ratios = sorted(
        statistics.median(a for a, _ in drawn) / statistics.median(b for _, b in drawn)
        for drawn in (generator.choices(pairs, k=len(pairs)) for _ in range(draws)))
    return ratios[int(0.025 * draws)], ratios[int(0.975 * draws)]


def compare_times(run, rounds):
    before, after = [], []
    for round_number in range(rounds + 3):
        first = milliseconds(run)
        with patched():
            second = milliseconds(run)
        if round_number >= 3:
            before.append(first)
            after.append(second)
    low, high = interval_of_ratio(before, after)
    return {"before_ms": statistics.median(before), "after_ms": statistics.median(after),
            "speedup": statistics.median(before) / statistics.median(after), "low": low, "high": high}


def narrow(mode):
    dtype = {"amp": torch.float16, "train-amp": torch.bfloat16}.get(mode)
    return torch.autocast(DEVICE.type, dtype=dtype) if dtype else contextlib.nullcontext()


def each_attention(seen):
    """Each against float64; the worst errors, ours and the model's own, and how many got which kernel."""
    worst, theirs, forms = 0, 0, {}
    for arguments, output in seen:
        value, _, levels, _, locations, weights = arguments[:6]
        truth = exact(value, levels, locations, weights)
        assert truth.isfinite().all(), "the model's own numbers are not finite"
        worst = max(worst, distance(deformable_attention(value, levels, locations, weights), truth))
        theirs = max(theirs, distance(output, truth))
        kind = form(value, levels, locations, weights)
        forms[kind] = forms.get(kind, 0) + 1
    return {"attentions": len(seen), "forms": forms, "attention_error": worst, "attention_error_before": theirs}


def infer(model_of, mode, rounds=30):
    if not CUDA and mode != "fp32":
        raise Skip("no GPU")
    transformers()
    model, images = make(model_of, TYPES.get(mode, torch.float32))

    def outputs_of(model):
        with torch.no_grad(), narrow(mode):
            return tensors_of(model(pixel_values=images))

    with kept({"images": list(images.shape)}) as said:
        if CUDA:
            said.update(gpu_times(lambda: outputs_of(model)))
            said.update(compare_times(lambda: outputs_of(model), rounds))
        compare_outputs(model, outputs_of, mode, said)
        if CUDA and mode != "fp32":
            model.to(memory_format=torch.channels_last)
            with patched():
                said["gpu_weights_channels_last_ms"] = gpu_milliseconds(lambda: outputs_of(model), 3)
        require(said["attention_error"], 1e-3, "an attention against float64")
        for name, error in said["end_to_end"].items():  # a model may multiply what its attentions are off
            require(error, max(1e-3, said["end_to_end_before"][name]),
                    f"the model's {name} against those with exact attention")
    return said


def compare_outputs(model, outputs_of, mode, said):
    """Adds the errors of attentions and of what the model's users read, and which kernels its modules got."""
    seen, expected = attention_inputs(model, outputs_of)
    said.update(each_attention(seen))
    with patched(model) as report, counted() as calls:
        assert report.replaced, "nothing was patched"
        found = outputs_of(model)
    with narrow(mode):
        said["module_forms"] = collections.Counter(form_of_fused(*given, **named) for given, named in calls)
    said["left"] = report.left
    calls.clear()
    with exact_attention(model):
        truth = outputs_of(model)
    said["end_to_end"] = {name: distance(found[name], truth[name]) for name in found}
    said["end_to_end_before"] = {name: distance(expected[name], truth[name]) for name in found}
    undone = outputs_of(model)
    assert all(distance(undone[name], expected[name]) < 1e-6 for name in undone), "the patch is not undone"


def peak_of(step, model):
    """MiB at the peak of a training's step, and what is alive before it."""
    step()
    model.zero_grad(set_to_none=True)
    gc.collect()
    torch._C._cuda_clearCublasWorkspaces()  # those of other checks' streams, too; a step makes its own
    before = torch.cuda.memory_allocated() / 2**20
    torch.cuda.reset_peak_memory_stats()
    step()
    return torch.cuda.max_memory_allocated() / 2**20, before


def train(model_of, mode, rounds=15):
    """A step: its time, its peak of memory, and gradients of all parameters with the operator and without."""
    if not CUDA:
        raise Skip("no GPU")
    model, images = make(model_of)
    parameters = [p for p in model.parameters() if p.requires_grad]

    def step():
        model.zero_grad(set_to_none=True)
        with narrow(mode):
            output = tensors_of(model(pixel_values=images))
        loss = sum(tensor.float().square().mean() for tensor in output.values())
        loss.backward()
        return loss.item()

    with kept({"images": list(images.shape)}) as said:  # what is measured first finds nothing else alive
        own = sum(t.numel() * t.element_size() for t in (*model.parameters(), *model.buffers(), images)) / 2**20
        said["peak_mib_before"], said["alive_mib_before"] = peak_of(step, model)
        with patched():
            said["peak_mib_after"], said["alive_mib_after"] = peak_of(step, model)
        said["model_and_images_mib"] = own
        said.update(gpu_times(step))
        said.update(compare_times(step, rounds))
        compare_gradients(step, parameters, model, said)
        require(abs(said["loss"] - said["loss_before"]) / abs(said["loss_before"]), 2e-2, "the model's loss")
        require(said["gradients"], 5e-2 if mode == "train-amp" else 1e-3, "the model's gradients")
        assert said["alive_mib_after"] <= own + 64, "more than the model and its images is alive before a step"
    return said


def compare_gradients(step, parameters, model, said):
    def gradients():
        loss = step()
        return loss, torch.cat([p.grad.flatten().float() for p in parameters if p.grad is not None])

    said["loss_before"], expected = gradients()
    again = gradients()[1]  # what the model's own sums in any order do
    with patched(model):
        said["loss"], found = gradients()
    said.update(gradients=distance(found, expected), gradients_again=distance(again, expected))


def models_survive_copies():
    """deepcopy and saving inside of patched(), and what was saved outside of it."""
    model, _ = make(deformable_detr)
    layer = next(module for module in model.modules() if type(module).__name__ == LAYER)
    generator = torch.Generator().manual_seed(1)
    value = torch.rand(1, sum(h * w for h, w in SMALL), 4, 8, generator=generator).to(DEVICE)
    locations = torch.rand(1, 5, 4, 3, 2, 2, generator=generator).to(DEVICE)
    weights = torch.rand(1, 5, 4, 3, 2, generator=generator).to(DEVICE)
    sizes = torch.tensor(SMALL, device=DEVICE)
    arguments = (value, sizes, SMALL, None, locations, weights, 64)
    expected = layer(*arguments)
    saved = io.BytesIO()
    with patched():
        torch.save(layer, saved)
        copies = [copy.deepcopy(layer)]
    saved.seek(0)
    copies.append(torch.load(saved, weights_only=False))
    for one in copies:
        assert torch.equal(one(*arguments), expected), "a copy is not as the model"


def trial(function, model_of, mode):
    run = lambda: function(model_of, mode)  # noqa: E731
    run.__name__ = f"{model_of.__name__}_in_{mode.replace('-', '_')}"
    return run


CHECKS = (*(trial(infer, model_of, mode) for model_of in (deformable_detr, rt_detr) for mode in ("fp16", "amp", "fp32")),
          trial(infer, rt_detr_v2, "fp32"), trial(infer, mask2former, "fp32"),
          *(trial(train, deformable_detr, mode) for mode in ("train-amp", "train-fp32")), models_survive_copies)
