"""Checks the extension on this machine, and times it: python3 check.py [--json FILE] [--quick] [CHECK...]

The operator against grid_sample in float64; PyTorch's own checks of operators; gradients; compilation;
CUDA graphs; autocast; a second GPU; and models of Hugging Face transformers with random weights, whose
outputs are compared and whose times are given with intervals. What this machine lacks is skipped."""

import argparse
import contextlib
import json
import pathlib
import random
import statistics
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from @PACKAGE@ import deformable_attention, form, is_tuned, patched, reference  # noqa: E402
from @PACKAGE@._ops import ops  # noqa: E402

KERNELS = json.loads((pathlib.Path(__file__).resolve().parent / "src" / "export.json").read_text())["kernels"]
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
TOLERANCE = {torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 2e-2}
SMALL = [(9, 12), (5, 6), (3, 3)]
CUDA = torch.cuda.is_available()
DEVICE = torch.device("cuda:0" if CUDA else "cpu")
results = []


class Skip(Exception):
    pass


def check(function):
    """Runs it and notes what came of it."""
    name = function.__name__.replace("_", " ")
    try:
        said = function()
        results.append({"check": name, "status": "ok", "said": said})
    except Skip as reason:
        results.append({"check": name, "status": "skipped", "said": str(reason)})
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        results.append({"check": name, "status": "failed", "said": f"{type(error).__name__}: {error}"})
    last = results[-1]
    print(f"{last['status']:8} {name}: {last['said'] if last['said'] is not None else ''}", flush=True)


def tensors(levels=SMALL, dtype=torch.float32, device=DEVICE, batch=2, queries=33, heads=4, channels=32,
            points=4, outside=0.2, location_type=None):
    generator = torch.Generator(device="cpu").manual_seed(7)
    rand = lambda *sizes: torch.rand(*sizes, generator=generator)  # noqa: E731
    pixels = sum(h * w for h, w in levels)
    value = rand(batch, pixels, heads, channels) - 0.5
    locations = rand(batch, queries, heads, len(levels), points, 2) * (1 + 2 * outside) - outside
    weights = rand(batch, queries, heads, len(levels) * points).softmax(-1)
    weights = weights.view(batch, queries, heads, len(levels), points)
    return (value.to(device, dtype), locations.to(device, location_type or dtype), weights.to(device, dtype))


def exact(value, levels, locations, weights):
    return reference(value.double(), levels, locations.double(), weights.double())


def distance(output, truth):
    truth = truth.double()
    return ((output.double() - truth).norm() / truth.norm()).item()


def require(error, most, what):
    if not error <= most:
        raise AssertionError(f"{what}: relative L2 {error:.2e} exceeds {most:.0e}")
    return error


def shape_of(kernel):
    return {
        "levels": [tuple(level) for level in kernel["levels"]],
        "dtype": TYPES[kernel["types"][0]],
        "location_type": TYPES[kernel["types"][1]],
        "heads": kernel["heads"],
        "channels": kernel["channels"],
        "points": kernel["points"],
    }


def call(levels, parts):
    value, locations, weights = parts
    return deformable_attention(value, levels, locations, weights)


def of_stored_values(kernel):
    """What a kernel may add to the error that stores values anew: half a step is of the largest magnitude of a level,
    which normal values have at five times their deviation."""
    return kernel["value_unit"] + 5 * kernel["value_step"] / 2


def the_kernels_of_the_table():
    if not CUDA:
        raise Skip("no GPU")
    said = []
    capability = int("".join(map(str, torch.cuda.get_device_capability())))
    for kernel in KERNELS:
        if kernel["layout"] != "plain" or len(set(kernel["types"]) - {"fp32"}) > 1:
            continue
        shape = shape_of(kernel)
        for queries in (kernel["queries"] // 2, 301):
            parts = tensors(**shape, queries=min(queries, 20000), batch=2)
            value, locations, weights = parts
            if capability >= kernel["least_capability"]:
                chosen = form(value, shape["levels"], locations, weights)
                assert chosen == "fixed", f"a {chosen} kernel for {kernel['name']}"
            output = call(shape["levels"], parts)
            error = distance(output, exact(value, shape["levels"], locations, weights))
            require(error, TOLERANCE[shape["dtype"]] + of_stored_values(kernel), kernel["name"])
        said.append(f"{kernel['name']} {error:.1e}")
    return "; ".join(said)


def the_general_kernel():
    worst = 0
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in TYPES.values():
            for location_type in {dtype, torch.float32}:
                value, locations, weights = tensors(dtype=dtype, device=device, location_type=location_type)
                error = distance(deformable_attention(value, SMALL, locations, weights),
                                 exact(value, SMALL, locations, weights))
                worst = max(worst, require(error, TOLERANCE[dtype], f"{dtype} on {device}"))
    return f"{worst:.1e}"


def general_channels_and_points():
    """Sizes at which lanes are left over, levels of one pixel, and few rows beside many."""
    worst = 0
    for channels, points, queries, heads in [(4, 1, 3, 1), (30, 2, 33, 4), (71, 13, 5, 3), (8, 32, 700, 16),
                                             (32, 4, 20000, 8), (144, 3, 9, 2), (256, 4, 40, 2), (1025, 2, 3, 1)]:
        levels = [(17, 13), (9, 7), (1, 1), (1, 5)]
        for dtype in TYPES.values():
            value, locations, weights = tensors(levels, dtype, queries=queries, heads=heads, channels=channels,
                                                points=points, batch=1)
            ours = deformable_attention(value, torch.tensor(levels, device=DEVICE), locations, weights)
            truth = exact(value, levels, locations, weights)
            worst = max(worst, require(distance(ours, truth), TOLERANCE[dtype], f"{channels} channels in {dtype}"))
    return f"{worst:.1e}"


def an_image_alone_has_the_same_bits():
    parts = tensors(batch=134, heads=80, channels=8, dtype=torch.float16)
    all_of_them = call(SMALL, parts)
    for image in (0, 71, 133):
        assert torch.equal(call(SMALL, [part[image:image + 1] for part in parts])[0], all_of_them[image])


def sizes_on_the_device_that_contradict_value():
    value, locations, weights = tensors([(32, 32), (16, 16), (8, 8)], batch=1, outside=0)
    value = value[:, :1024].contiguous()  # the first level alone lies in it
    sizes = torch.tensor([(32, 32), (16, 16), (8, 8)], device=DEVICE)
    assert deformable_attention(value, sizes, locations, weights).isnan().all()
    fitting = torch.tensor([(16, 16), (16, 16), (8, 8)], device=DEVICE)  # fewer pixels than value has
    assert deformable_attention(value, fitting, locations, weights).isfinite().all()


def locations_that_are_no_numbers():
    value = torch.ones(1, 16, 1, 8, device=DEVICE)
    far = [(float("nan"), 0.5), (float("inf"), 0.5), (-3.2e38, 3e38), (1e9, 0.5), (0.5, 0.5)]
    locations = torch.tensor(far, device=DEVICE).view(1, 5, 1, 1, 1, 2)
    output = deformable_attention(value, [(4, 4)], locations, torch.ones(1, 5, 1, 1, 1, device=DEVICE))
    assert output[0, :, 0].tolist() == [0, 0, 0, 0, 1]


def empty_calls():
    for batch, queries in ((0, 33), (2, 0), (0, 0)):
        parts = [t.requires_grad_() for t in tensors(batch=batch, queries=queries)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            output = call(SMALL, parts)
            output.sum().backward()
        assert output.shape == (batch, queries, 128)
        assert all(t.grad.shape == t.shape and not t.grad.any() for t in parts)


def sizes_as_tensors():
    value, locations, weights = tensors()
    expected = deformable_attention(value, SMALL, locations, weights)
    for device in {torch.device("cpu"), DEVICE}:
        sizes = torch.tensor(SMALL, device=device)
        assert torch.equal(deformable_attention(value, sizes, locations, weights), expected)


def tensors_that_are_not_contiguous():
    value, locations, weights = tensors()
    expected = deformable_attention(value, SMALL, locations, weights)
    strided = [t.transpose(0, 1).contiguous().transpose(0, 1) for t in (value, locations, weights)]
    assert not strided[0].is_contiguous()
    assert torch.equal(deformable_attention(strided[0], SMALL, strided[1], strided[2]), expected)
    # Elements that begin between the words that kernels read.
    shifted = torch.empty(value.numel() + 1, device=DEVICE)[1:].view_as(value).copy_(value)
    assert torch.equal(deformable_attention(shifted, SMALL, locations, weights), expected)


def wrong_shapes_are_refused():
    value, locations, weights = tensors()
    for wrong in (lambda: deformable_attention(value, SMALL[:2], locations, weights),
                  lambda: deformable_attention(value[:, 1:], SMALL, locations, weights),
                  lambda: deformable_attention(value, SMALL, locations[:1], weights)):
        try:
            wrong()
        except RuntimeError:
            continue
        raise AssertionError("a wrong shape is taken")


def opcheck():
    flat = [size for pair in SMALL for size in pair]
    for dtype in (torch.float32, torch.float16):
        parts = [t.requires_grad_() for t in tensors(dtype=dtype)]
        torch.library.opcheck(ops.forward.default, (*parts, flat))
    value, locations, weights = tensors()
    sizes = torch.tensor(SMALL, device=DEVICE)
    starts = sizes.prod(1).cumsum(0) - sizes.prod(1)
    torch.library.opcheck(ops.forward_on_device.default, (value, sizes, starts, locations, weights))


def gradcheck():
    levels = [(4, 5), (2, 3)]
    value, _, weights = tensors(levels, batch=1, queries=3, heads=2, channels=4, points=2)
    # In the middle of cells: at their edges the derivative jumps.
    generator = torch.Generator().manual_seed(3)
    locations = torch.empty(1, 3, 2, 2, 2, 2)
    for level, (height, width) in enumerate(levels):
        cell = torch.randint(-1, 3, (1, 3, 2, 2, 2), generator=generator) + 0.5
        cell += torch.rand(cell.shape, generator=generator) * 0.6 - 0.3
        locations[:, :, :, level] = (cell + 0.5) / torch.tensor([width, height])
    parts = [t.detach().to(DEVICE).requires_grad_() for t in (value, locations, weights)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.autograd.gradcheck(lambda v, l, w: deformable_attention(v, levels, l, w), parts,
                                        eps=1e-2, atol=2e-3, rtol=2e-3,
                                        nondet_tol=1e-5)  # grid_sample's gradient adds atomically


def gradients_are_those_of_grid_sample():
    for dtype in (torch.float32, torch.float16):
        ours = [t.requires_grad_() for t in tensors(dtype=dtype)]
        theirs = [t.detach().double().requires_grad_() for t in ours]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(SMALL, ours).square().sum().backward()
        reference(theirs[0], SMALL, theirs[1], theirs[2]).square().sum().backward()
        for a, b in zip(ours, theirs):
            require(distance(a.grad, b.grad), 10 * TOLERANCE[dtype], f"gradient in {dtype}")


def compiles_without_a_graph_break():
    parts = tensors()
    function = torch.compile(lambda v, l, w: deformable_attention(v, SMALL, l, w) * 2, fullgraph=True)
    assert torch.equal(function(*parts), call(SMALL, parts) * 2)
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        assert torch.equal(function(*parts), call(SMALL, parts) * 2)
    trained = [t.requires_grad_() for t in tensors()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*trained).sum().backward()
    assert all(t.grad is not None for t in trained)


def cuda_graph():
    if not CUDA:
        raise Skip("no GPU")
    for shape in [shape_of(k) for k in KERNELS if k["layout"] == "plain"][:2] + [{"levels": SMALL}]:
        parts = tensors(**shape)
        expected = call(shape["levels"], parts)  # also finds out how large the grid may be
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            output = call(shape["levels"], parts)
        output.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(output, expected)


def another_stream():
    if not CUDA:
        raise Skip("no GPU")
    parts = tensors()
    expected = call(SMALL, parts)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        output = call(SMALL, parts)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(output, expected)


def nothing_waits_for_the_gpu():
    if not CUDA:
        raise Skip("no GPU")
    parts = tensors()
    sizes = torch.tensor(SMALL, device=DEVICE)
    torch.cuda.set_sync_debug_mode("error")
    try:
        call(SMALL, parts)
        deformable_attention(parts[0], sizes, parts[1], parts[2])
    finally:
        torch.cuda.set_sync_debug_mode("default")


def the_second_gpu():
    if torch.cuda.device_count() < 2:
        raise Skip("one GPU, or none")
    torch.cuda.set_device(0)
    for shape in [shape_of(k) for k in KERNELS if k["layout"] == "plain"] + [{"levels": SMALL}]:
        first = tensors(**shape)
        second = [t.to("cuda:1") for t in first]
        output = call(shape["levels"], second)
        assert output.device == torch.device("cuda:1")
        assert torch.equal(output.cpu(), call(shape["levels"], first).cpu())


def autocast():
    value, locations, weights = tensors()
    with torch.autocast(DEVICE.type, dtype=torch.bfloat16):
        output = deformable_attention(value, SMALL, locations, weights)
    assert output.dtype == torch.bfloat16
    return f"{require(distance(output, exact(value, SMALL, locations, weights)), 2e-2, 'bf16'):.1e}"


# --- Models ---------------------------------------------------------------------------------------


def deformable_detr():
    from transformers import DeformableDetrConfig, DeformableDetrForObjectDetection, ResNetConfig

    backbone = ResNetConfig(out_features=["stage2", "stage3", "stage4"])
    try:
        config = DeformableDetrConfig(backbone_config=backbone)
    except ValueError:  # older versions have another backbone unless it is taken back
        config = DeformableDetrConfig(backbone_config=backbone, use_timm_backbone=False,
                                      use_pretrained_backbone=False, backbone=None)
    # The levels of a padded image of 800 x 1066 are those of the preset ddetr-encoder.
    return DeformableDetrForObjectDetection(config), (2, 3, 800, 1066)


def rt_detr():
    from transformers import RTDetrConfig, RTDetrForObjectDetection

    return RTDetrForObjectDetection(RTDetrConfig()), (8, 3, 640, 640)


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


def make(model_of, dtype):
    torch.manual_seed(11)
    model, size = model_of()
    # Offsets of a new model are all alike; these make each query look somewhere else.
    for name, parameter in model.named_parameters():
        if "sampling_offsets" in name and parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.02)
    model = model.to(DEVICE).eval()
    images = smooth_images(*size)
    if model.config.model_type == "rt_detr":
        settle_norms(model, images)
    return model.to(dtype), images.to(dtype)


def attention_inputs(model, outputs_of):
    """What each attention got and gave: layer by layer, so that nothing adds up."""
    seen = []
    hooks = [module.register_forward_hook(lambda m, a, o: seen.append((a, o)))
             for module in model.modules() if type(module).__name__ == "MultiScaleDeformableAttention"]
    outputs = outputs_of(model)
    for hook in hooks:
        hook.remove()
    return seen, outputs


@contextlib.contextmanager
def exact_attention(model):
    """The model with attentions in float64, rounded once."""
    def instead(module, arguments, output):
        value, _, levels, _, locations, weights = arguments[:6]
        return exact(value, levels, locations, weights).to(output.dtype)

    hooks = [module.register_forward_hook(instead) for module in model.modules()
             if type(module).__name__ == "MultiScaleDeformableAttention"]
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


def try_model(model_of, mode, rounds):
    try:
        import transformers
    except ImportError as missing:
        raise Skip("no transformers") from missing
    if not CUDA and mode != "fp32":
        raise Skip("no GPU")
    model, images = make(model_of, TYPES.get(mode, torch.float32))

    def outputs_of(model):
        narrow = torch.autocast(DEVICE.type, dtype=torch.float16) if mode == "amp" else contextlib.nullcontext()
        with torch.no_grad(), narrow:
            found = model(pixel_values=images)
        return {"logits": found.logits, "pred_boxes": found.pred_boxes}

    seen, expected = attention_inputs(model, outputs_of)
    worst, theirs, tuned = 0, 0, 0
    for arguments, output in seen:
        value, _, levels, _, locations, weights = arguments[:6]
        truth = exact(value, levels, locations, weights)
        assert truth.isfinite().all(), "the model's own numbers are not finite"
        ours = deformable_attention(value, levels, locations, weights)
        worst = max(worst, require(distance(ours, truth), 1e-3, "an attention against float64"))
        theirs = max(theirs, distance(output, truth))
        tuned += is_tuned(value, levels, locations, weights)
    with patched() as count:
        assert count > 0, "nothing was patched"
        found = outputs_of(model)
    with exact_attention(model):
        truth = outputs_of(model)
    ends = {name: distance(found[name], truth[name]) for name in found}
    before = {name: distance(expected[name], truth[name]) for name in found}
    said = {"transformers": transformers.__version__, "attentions": len(seen), "tuned": tuned,
            "attention_error": worst, "attention_error_before": theirs, "end_to_end": ends,
            "end_to_end_before": before,
            "patched_and_not": {name: distance(found[name], expected[name]) for name in found}}
    for name, error in ends.items():  # a model may multiply what its attentions are off
        require(error, max(1e-3, before[name]), f"the model's {name} against those with exact attention")
    if CUDA:
        said.update(compare_times(lambda: outputs_of(model), rounds))
    undone = outputs_of(model)
    assert all(distance(undone[name], expected[name]) < 1e-6 for name in undone), "the patch is not undone"
    return said


def model_check(model_of, mode):
    trial = lambda: try_model(model_of, mode, 30)  # noqa: E731
    trial.__name__ = f"{model_of.__name__}_in_{mode}"
    return trial


OPERATOR = (the_kernels_of_the_table, the_general_kernel, general_channels_and_points,
            an_image_alone_has_the_same_bits, sizes_on_the_device_that_contradict_value,
            locations_that_are_no_numbers, empty_calls, sizes_as_tensors, tensors_that_are_not_contiguous,
            wrong_shapes_are_refused, opcheck, gradcheck, gradients_are_those_of_grid_sample,
            compiles_without_a_graph_break, cuda_graph, another_stream, nothing_waits_for_the_gpu, the_second_gpu,
            autocast)  # fmt: skip
MODELS = tuple(model_check(model_of, mode) for model_of in (deformable_detr, rt_detr)
               for mode in ("fp16", "amp", "fp32"))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="these alone (default: all)")
    parser.add_argument("--json", type=pathlib.Path, help="where results are written")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("--quick", action="store_true", help="the operator alone, no models")
    arguments = parser.parse_args()
    functions = {function.__name__: function for function in OPERATOR + (() if arguments.quick else MODELS)}
    unknown = set(arguments.checks) - functions.keys()
    if unknown or arguments.list:
        print("\n".join(functions))
        sys.exit(f"check.py: no check {', '.join(sorted(unknown))}" if unknown else 0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    gpu = torch.cuda.get_device_name() if CUDA else "none"
    for name in arguments.checks or functions:
        check(functions[name])
        if arguments.json:  # after each, since one may end the process
            arguments.json.write_text(json.dumps(
                {"torch": torch.__version__, "gpu": gpu, "checks": results}, indent=2) + "\n")
    sys.exit(any(result["status"] == "failed" for result in results))


if __name__ == "__main__":
    main()
