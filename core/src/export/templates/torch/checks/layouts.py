"""The operator from offsets and logits where levels differ in their points, where points move by parts of boxes of their
own, and where a mask names pixels that count as zero."""

import torch

from . import DEVICE, SMALL, TOLERANCE, TYPES, Skip, deformable_attention, distance, require, trained
from .compilers import error_in_onnxruntime
from .fused import LAYOUTS as EVEN
from .fused import NAMES, call, compare_gradients, exact, gradients, mask_of, tensors
from @PACKAGE@ import form_of_fused, fused_attention, points_of, reads_mask

POINTS = [3, 6, 3]
PARTS = [0.0625 * (1 + p) for p in range(sum(POINTS))]
LAYOUTS = ((2, 0, None), (4, 0, None), (4, 0, PARTS), (2, 1, None), (4, 1, PARTS), (2, 3, None), (4, 3, PARTS))


def each_layout(types=TYPES.values(), off_knots=False):
    """(its name, the tensors, anchors, what a call has beside these), each with a mask and without."""
    for device in {DEVICE, torch.device("cpu")}:
        for dtype in types:
            for coordinates, anchors, parts in LAYOUTS:
                made = tensors(SMALL, dtype, device, points=POINTS, coordinates=coordinates, anchors=anchors,
                               heads=3, channels=20, off_knots=off_knots, box_parts=parts)
                for mask in (None, mask_of(made[0])):
                    rest = {"points": POINTS, "box_parts": parts, "padding_mask": mask}
                    yield f"{coordinates}, {anchors}, {dtype} on {device}", made, anchors, rest


def the_general_form():
    worst = 0
    for what, parts, anchors, rest in each_layout():
        assert form_of_fused(parts[0], SMALL, *parts[1:], anchors=anchors > 1, **rest) == "general"
        assert not reads_mask(parts[0], SMALL, *parts[1:], anchors=anchors > 1, **rest)
        truth = exact(SMALL, parts, anchors, **rest)
        for sizes in (SMALL, torch.tensor(SMALL, device=parts[0].device)):
            error = distance(call(sizes, parts, anchors, **rest), truth)
            worst = max(worst, require(error, 2 * TOLERANCE[parts[0].dtype], what))
    return f"{worst:.1e}"


def all_gradients():
    worst = 0
    for what, parts, anchors, rest in each_layout(off_knots=True):
        for sizes in (SMALL, torch.tensor(SMALL, device=parts[0].device)):
            worst = max(worst, compare_gradients(SMALL, parts, anchors, 20 * TOLERANCE[parts[0].dtype], what, sizes,
                                                 **rest))
    return f"{worst:.1e}"


def the_same_points_on_each_level():
    """As a list they are the same as without one; so are parts of boxes that are the usual ones."""
    for device in {DEVICE, torch.device("cpu")}:
        parts = tensors(device=device, coordinates=4)
        expected = call(SMALL, parts)
        flat = [*parts[:2], parts[2].flatten(3, 4), parts[3]]
        assert torch.equal(call(SMALL, flat, points=[4, 4, 4]), expected)
        assert torch.equal(call(SMALL, parts, box_parts=[0.125] * 12), expected)


def a_padding_mask_of_one_image():
    """Of whatever masked pixels are, and there gradients of value are zero."""
    for device in {DEVICE, torch.device("cpu")}:
        value, *others = tensors(device=device)
        mask = mask_of(value)
        mask[1] = False
        mask[0] = True
        value[0] = float("nan")
        parts = trained((value, *others))
        output = call(SMALL, parts, padding_mask=mask)
        assert not output[0].any(), "masked pixels count"
        assert torch.equal(output[1], call(SMALL, parts)[1])
        output.square().sum().backward()
        assert not parts[0].grad[0].any() and parts[0].grad[1].any()


def words_between_words():
    """Pixels that are no multiple of 16 bytes, and values at no such address."""
    for channels in (2, 7, 8):
        value, *others = tensors(SMALL, torch.float16, channels=channels, heads=3)
        mask = mask_of(value)
        shifted = torch.empty(value.numel() + 1, device=DEVICE, dtype=value.dtype)[1:].view_as(value).copy_(value)
        truth = exact(SMALL, (value, *others), padding_mask=mask)
        for one in (value, shifted):
            require(distance(call(SMALL, (one, *others), padding_mask=mask), truth), 4e-3, f"{channels} channels")


def what_contradicts_itself_is_refused():
    value, references, offsets, logits = tensors(points=POINTS, coordinates=4)
    wrong = ({"points": [3, 6, 4]}, {"points": [6, 6]}, {"points": [3, 9, 0]}, {},
             {"points": POINTS, "box_parts": PARTS[1:]}, {"points": POINTS, "padding_mask": mask_of(value)[:, 1:]})
    for rest in wrong:
        try:
            fused_attention(value, SMALL, references, offsets, logits, **rest)
        except (RuntimeError, ValueError, IndexError):
            continue
        raise AssertionError(f"{list(rest)} were taken")


def compiles_without_a_graph_break():
    parts = tensors(points=POINTS, coordinates=4)
    rest = {"points": POINTS, "box_parts": PARTS, "padding_mask": mask_of(parts[0])}
    step = torch.compile(lambda *p: call(SMALL, p, **rest).square().sum(), fullgraph=True)
    compiled, eager = trained(parts), trained(parts)
    step(*compiled).backward()
    call(SMALL, eager, **rest).square().sum().backward()
    for a, b in zip(compiled, eager):
        require(distance(a.grad, b.grad), 1e-5, "a compiled step")


def vmap():
    if not hasattr(torch.library, "register_vmap"):
        raise Skip("PyTorch before 2.5 has no rules for it")
    parts = [torch.stack([a, b]) for a, b in zip(tensors(points=POINTS, seed=1), tensors(points=POINTS, seed=2))]
    mask = mask_of(parts[0][0])
    found = torch.vmap(lambda *p: call(SMALL, p, points=POINTS, padding_mask=mask))(*parts)
    for i in range(2):
        assert torch.equal(found[i], call(SMALL, [part[i] for part in parts], points=POINTS, padding_mask=mask))


class Attention(torch.nn.Module):
    def forward(self, *parts):
        return call(SMALL, parts, points=POINTS, box_parts=PARTS)


def onnx_on_the_cpu():
    return error_in_onnxruntime(
        Attention(), list(NAMES),
        lambda batch, queries: tensors(device="cpu", heads=3, channels=5, batch=batch, queries=queries, coordinates=4,
                                       points=POINTS),
        lambda given: exact(SMALL, given, points=POINTS, box_parts=PARTS))


def points_lie_where_pytorch_puts_them():
    """To the bit in fp32. Points here are at centres of pixels, as those of a new model: a bit decides which pixels a
    gradient comes from."""
    worst, (height, width) = 0, (50, 67)
    levels = [(height, width)] * 3
    for coordinates, anchors in EVEN:
        value, references, offsets, logits = tensors(levels, batch=1, queries=500, coordinates=coordinates,
                                                     anchors=anchors)
        size = torch.tensor([width, height], device=DEVICE)
        references[..., :2] = ((references[..., :2] * size).floor() + 0.5) / size
        if coordinates == 4:
            references[..., 2:] = 2 * offsets.shape[4] / size  # an offset of 1 is a pixel
        parts = (value, references, offsets.round(), logits)

        def plain(parts):
            return deformable_attention(parts[0], levels, *points_of(levels, *parts[1:], anchors > 1))

        for a, b in zip(gradients(lambda p: call(levels, p, anchors), parts), gradients(plain, parts)):
            worst = max(worst, require(distance(a, b), 2e-5, f"{coordinates}, {anchors}"))
    return f"{worst:.1e}"


CHECKS = (the_general_form, all_gradients, the_same_points_on_each_level, a_padding_mask_of_one_image,
          words_between_words, what_contradicts_itself_is_refused, compiles_without_a_graph_break, vmap,
          onnx_on_the_cpu, points_lie_where_pytorch_puts_them)
