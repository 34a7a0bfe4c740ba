"""Models of Hugging Face transformers with random weights: outputs and gradients with the operator and without, held
against exact attention, and times in pairs that take turns."""

import collections
import contextlib
import copy
import io
import random
import statistics

import torch

from . import CUDA, DEVICE, SMALL, TYPES, Skip, deformable_attention, distance, exact, require
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


def gpu_milliseconds(function):
    """Of all kernels that a call has run, from PyTorch's profiler."""
    function()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as recorded:
        function()
        torch.cuda.synchronize()
    return sum(getattr(event, "self_device_time_total", 0) or getattr(event, "self_cuda_time_total", 0)
               for event in recorded.key_averages()) / 1e3


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
    gpu_before = gpu_milliseconds(run)
    with patched():
        gpu_after = gpu_milliseconds(run)
    return {"gpu_before_ms": gpu_before, "gpu_after_ms": gpu_after, "before_ms": statistics.median(before), "after_ms": statistics.median(after),
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
        ours = deformable_attention(value, levels, locations, weights)
        worst = max(worst, require(distance(ours, truth), 1e-3, "an attention against float64"))
        theirs = max(theirs, distance(output, truth))
        kind = form(value, levels, locations, weights)
        forms[kind] = forms.get(kind, 0) + 1
    return {"attentions": len(seen), "forms": forms, "attention_error": worst, "attention_error_before": theirs}


def infer(model_of, mode, rounds=30):
    if not CUDA and mode != "fp32":
        raise Skip("no GPU")
    hf = transformers()
    model, images = make(model_of, TYPES.get(mode, torch.float32))

    def outputs_of(model):
        with torch.no_grad(), narrow(mode):
            return tensors_of(model(pixel_values=images))

    seen, expected = attention_inputs(model, outputs_of)
    said = {"transformers": hf.__version__, **each_attention(seen)}
    with patched(model) as report, counted() as calls:
        assert report.replaced, "nothing was patched"
        found = outputs_of(model)
    with narrow(mode):
        said["module_forms"] = collections.Counter(form_of_fused(*given, **named) for given, named in calls)
    said["left"] = report.left
    calls.clear()
    with exact_attention(model):
        truth = outputs_of(model)
    ends = {name: distance(found[name], truth[name]) for name in found}
    before = {name: distance(expected[name], truth[name]) for name in found}
    said.update(end_to_end=ends, end_to_end_before=before)
    for name, error in ends.items():  # a model may multiply what its attentions are off
        require(error, max(1e-3, before[name]), f"the model's {name} against those with exact attention")
    if CUDA:
        said.update(compare_times(lambda: outputs_of(model), rounds))
    undone = outputs_of(model)
    assert all(distance(undone[name], expected[name]) < 1e-6 for name in undone), "the patch is not undone"
    return said


def train(model_of, mode, rounds=15):
    """A step: gradients of all parameters with the operator and without."""
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
        return loss.item(), [p.grad for p in parameters]

    loss, expected = step()
    again = step()[1]  # what the model's own sums in any order do
    with patched(model):
        found_loss, found = step()
    assert abs(found_loss - loss) <= 2e-2 * abs(loss), f"losses {found_loss} and {loss}"
    flat = [torch.cat([g.flatten().float() for g in grads if g is not None]) for grads in (found, expected, again)]
    most = 5e-2 if mode == "train-amp" else 1e-3
    said = {"loss": found_loss, "loss_before": loss,
            "gradients": require(distance(*flat[:2]), most, "the model's gradients"),
            "gradients_again": distance(flat[2], flat[1])}
    del expected, found, again, flat
    peaks = []
    for context in (contextlib.nullcontext(), patched()):
        torch.cuda.reset_peak_memory_stats()
        with context:
            step()
        peaks.append(torch.cuda.max_memory_allocated() / 2**20)
    said.update(compare_times(step, rounds), peak_mib_before=peaks[0], peak_mib_after=peaks[1])
    return said


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
