"""Attention modules inside patched(): those of transformers with random weights, and stand-ins that are called and
compute as the modules of mmcv, detrex, BEVFormer and Deformable DETR do. Outputs and gradients of all parameters are
compared with those of the module's own forward."""

import contextlib
import copy
import importlib
import inspect
import io
import sys
import types

import torch

from . import DEVICE, SMALL, Skip, distance, require
from @PACKAGE@ import modules as ours
from @PACKAGE@ import patched, points_of, reference

HEADS, WIDTH, POINTS = 4, 64, 4


class Layers(torch.nn.Module):
    def __init__(self, points=POINTS, queues=1, projects=True):
        super().__init__()
        self.num_heads, self.num_levels, self.num_points = HEADS, len(SMALL), points
        taps = queues * HEADS * len(SMALL) * points
        self.sampling_offsets = torch.nn.Linear(WIDTH * queues, 2 * taps)
        self.attention_weights = torch.nn.Linear(WIDTH * queues, taps)
        self.value_proj = torch.nn.Linear(WIDTH, WIDTH)
        self.output_proj = torch.nn.Linear(WIDTH, WIDTH) if projects else None
        self.dropout = torch.nn.Dropout(0.0)

    def values(self, value, mask):
        value = self.value_proj(value)
        if mask is not None:
            value = value.masked_fill(mask[..., None], 0.0)
        return value.view(*value.shape[:2], HEADS, -1)

    def sample(self, value, shapes, references, offsets, logits, anchors=False):
        levels = [tuple(pair) for pair in shapes.tolist()]
        return reference(value, levels, *points_of(levels, references, offsets, logits, anchors))

    def attend(self, query, value, mask, references, shapes, anchors=False):
        offsets = self.sampling_offsets(query).view(*query.shape[:2], HEADS, self.num_levels, self.num_points, 2)
        logits = self.attention_weights(query).view(offsets.shape[:-1])
        return self.sample(self.values(value, mask), shapes, references, offsets, logits, anchors)


class MultiScaleDeformableAttention(Layers):
    def __init__(self, batch_first=False, **options):
        super().__init__(**options)
        self.batch_first = batch_first

    def forward(self, query, key=None, value=None, identity=None, query_pos=None, key_padding_mask=None,
                reference_points=None, spatial_shapes=None, level_start_index=None, **kwargs):
        value = query if value is None else value
        identity = query if identity is None else identity
        query = query if query_pos is None else query + query_pos
        if not self.batch_first:
            query, value = query.transpose(0, 1), value.transpose(0, 1)
        output = self.output_proj(self.attend(query, value, key_padding_mask, reference_points, spatial_shapes))
        return self.dropout(output if self.batch_first else output.transpose(0, 1)) + identity


class MSDeformableAttention3D(Layers):
    def __init__(self, batch_first=True):
        super().__init__(points=8, projects=False)
        self.batch_first = batch_first

    def forward(self, query, key=None, value=None, identity=None, query_pos=None, key_padding_mask=None,
                reference_points=None, spatial_shapes=None, level_start_index=None, **kwargs):
        value = query if value is None else value
        query = query if query_pos is None else query + query_pos
        if not self.batch_first:
            query, value = query.transpose(0, 1), value.transpose(0, 1)
        output = self.attend(query, value, key_padding_mask, reference_points, spatial_shapes, anchors=True)
        return output if self.batch_first else output.transpose(0, 1)


class TemporalSelfAttention(Layers):
    def __init__(self, batch_first=True):
        super().__init__(queues=2)
        self.batch_first = batch_first

    def forward(self, query, key=None, value=None, identity=None, query_pos=None, key_padding_mask=None,
                reference_points=None, spatial_shapes=None, level_start_index=None, flag="decoder", **kwargs):
        value = torch.cat([query, query]) if value is None else value
        identity = query if identity is None else identity
        query = query if query_pos is None else query + query_pos
        if not self.batch_first:
            query, value = query.transpose(0, 1), value.transpose(0, 1)
        count = query.shape[1]
        query = torch.cat([value[:1], query], -1)
        offsets = self.sampling_offsets(query).view(count, HEADS, 2, self.num_levels, self.num_points, 2)
        logits = self.attention_weights(query).view(offsets.shape[:-1])
        both = self.sample(self.values(value, key_padding_mask), spatial_shapes, reference_points,
                           offsets.permute(2, 0, 1, 3, 4, 5), logits.permute(2, 0, 1, 3, 4))
        output = self.output_proj((both[:1] + both[1:]) / 2)
        return self.dropout(output if self.batch_first else output.transpose(0, 1)) + identity


class MSDeformAttn(Layers):
    def forward(self, query, reference_points, input_flatten, input_spatial_shapes, input_level_start_index,
                input_padding_mask=None):
        return self.output_proj(self.attend(query, input_flatten, input_padding_mask, reference_points,
                                            input_spatial_shapes))


STAND_INS = (MultiScaleDeformableAttention, MSDeformableAttention3D, TemporalSelfAttention, MSDeformAttn)


@contextlib.contextmanager
def imported():
    """The stand-ins in a module that models would have imported."""
    module = types.ModuleType("stand_ins")
    for one in STAND_INS:
        setattr(module, one.__name__, one)
        one.__module__ = module.__name__
    sys.modules[module.__name__] = module
    try:
        yield module
    finally:
        del sys.modules[module.__name__]


def spread(module):
    """Offsets of a new layer are all alike."""
    torch.manual_seed(5)
    for name, parameter in module.named_parameters():
        torch.nn.init.normal_(parameter, std=0.05 if "offsets" in name else 0.1)
    return module.to(DEVICE)


def rand(*sizes, seed=1):
    return torch.rand(*sizes, generator=torch.Generator().manual_seed(seed)).to(DEVICE)


def references_of(batch, queries, count, coordinates):
    points = rand(batch, queries, count, coordinates, seed=3)
    return points if coordinates == 2 else torch.cat([points[..., :2], 0.1 + 0.4 * points[..., 2:]], -1)


@contextlib.contextmanager
def replaced(function):
    """Modules call this in place of the operator."""
    before, ours.fused_attention = ours.fused_attention, function
    try:
        yield
    finally:
        ours.fused_attention = before


@contextlib.contextmanager
def counted():
    """The calls that modules make of the operator: arguments, and those by name."""
    calls, operator = [], ours.fused_attention

    def count(*arguments, **keywords):
        calls.append((arguments, keywords))
        return operator(*arguments, **keywords)

    with replaced(count):
        yield calls


def both(module, given, most=1e-5, calls_of_ours=1):
    """The module's output and gradients, patched and not; the report."""
    def step():
        module.zero_grad(set_to_none=True)
        parts = {name: part.detach().requires_grad_() if isinstance(part, torch.Tensor) and part.is_floating_point()
                 else part for name, part in given.items()}
        output = module(**parts)
        output = output[0] if isinstance(output, tuple) else output
        output.square().sum().backward()
        grads = [p.grad for p in module.parameters()] + [p.grad for p in parts.values() if isinstance(p, torch.Tensor)]
        return output.detach(), [grad for grad in grads if grad is not None]

    expected, gradients = step()
    with patched(), torch.no_grad():
        output = module(**given)
        require(distance(output[0] if isinstance(output, tuple) else output, expected), most, type(module).__name__)
    with counted() as calls, patched() as report:
        found, our_gradients = step()
    assert len(calls) == calls_of_ours, f"{type(module).__name__}: the operator was called {len(calls)} times"
    worst = require(distance(found, expected), most, type(module).__name__)
    assert len(gradients) == len(our_gradients)
    for a, b in zip(our_gradients, gradients):
        if b.norm() > 0:  # nothing depends on keys
            worst = max(worst, require(distance(a, b), 30 * most, f"{type(module).__name__}: a gradient"))
    return worst, report


def of_mmcv_and_detrex():
    worst, pixels = 0, sum(h * w for h, w in SMALL)
    shapes = torch.tensor(SMALL, device=DEVICE)
    with imported():
        for batch_first in (True, False):
            module = spread(MultiScaleDeformableAttention(batch_first))
            turned = (lambda t: t) if batch_first else (lambda t: t.transpose(0, 1).contiguous())  # noqa: E731
            for coordinates in (2, 4):
                for mask, position, identity in ((None, None, None), (rand(2, pixels) < 0.3, turned(rand(2, 9, WIDTH)),
                                                                      turned(rand(2, 9, WIDTH, seed=8)))):
                    given = {"query": turned(rand(2, 9, WIDTH, seed=2)), "value": turned(rand(2, pixels, WIDTH)),
                             "identity": identity, "query_pos": position, "key_padding_mask": mask,
                             "reference_points": references_of(2, 9, len(SMALL), coordinates),
                             "spatial_shapes": shapes, "level_start_index": None}
                    error, report = both(module, given)
                    worst = max(worst, error)
                    assert "stand_ins.MultiScaleDeformableAttention.forward" in report.replaced
    return f"{worst:.1e}"


def of_bevformer():
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=DEVICE)
    with imported():
        in_space = spread(MSDeformableAttention3D())
        worst, _ = both(in_space, {"query": rand(6, 9, WIDTH, seed=2), "value": rand(6, pixels, WIDTH),
                                   "reference_points": references_of(6, 9, 4, 2), "spatial_shapes": shapes})
        in_time = spread(TemporalSelfAttention())
        references = references_of(2, pixels, len(SMALL), 2)
        for value in (None, rand(2, pixels, WIDTH)):
            error, _ = both(in_time, {"query": rand(1, pixels, WIDTH, seed=2), "value": value,
                                      "query_pos": rand(1, pixels, WIDTH, seed=4), "reference_points": references,
                                      "spatial_shapes": shapes})
            worst = max(worst, error)
    return f"{worst:.1e}"


def of_deformable_detr():
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=DEVICE)
    with imported():
        module, worst = spread(MSDeformAttn()), 0
        for coordinates, mask in ((2, None), (4, rand(2, pixels) < 0.3)):
            error, _ = both(module, {"query": rand(2, 9, WIDTH, seed=2), "input_flatten": rand(2, pixels, WIDTH),
                                     "reference_points": references_of(2, 9, len(SMALL), coordinates),
                                     "input_spatial_shapes": shapes, "input_level_start_index": None,
                                     "input_padding_mask": mask})
            worst = max(worst, error)
    return f"{worst:.1e}"


def calls_for_the_models_own_forward():
    """What the operator has not goes to the model, and the report says so; a module with layers that nobody knows."""
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=DEVICE)
    given = {"query": rand(2, 9, WIDTH, seed=2), "input_flatten": rand(2, pixels, WIDTH),
             "reference_points": references_of(2, 9, len(SMALL), 2), "input_spatial_shapes": shapes,
             "input_level_start_index": None}
    with imported():
        module = spread(MSDeformAttn())
        module.adapter = torch.nn.Identity()
        _, report = both(module, given, calls_of_ours=0)
    assert [place for place, why in report.left if "other layers" in why] == ["stand_ins.MSDeformAttn.forward"]
    assert "other layers" in str(report)


def forwards_come_back():
    with imported():
        before = [one.forward for one in STAND_INS]
        try:
            with patched(), patched() as report:
                assert all(one.forward is not own for one, own in zip(STAND_INS, before))
                assert len([place for place in report.replaced if place.startswith("stand_ins.")]) == len(STAND_INS)
                raise KeyError
        except KeyError:
            pass
        assert [one.forward for one in STAND_INS] == before


def copies_and_pickles():
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=DEVICE)
    given = (rand(2, 9, WIDTH, seed=2), references_of(2, 9, len(SMALL), 2), rand(2, pixels, WIDTH), shapes, None)
    with imported(), torch.no_grad():
        module = spread(MSDeformAttn())
        expected, saved = module(*given), io.BytesIO()
        with patched():
            torch.save(module, saved)
            copies = [copy.deepcopy(module)]
        saved.seek(0)
        copies.append(torch.load(saved, weights_only=False) if "weights_only" in inspect.signature(torch.load).parameters
                      else torch.load(saved))
        for one in copies:
            assert torch.equal(one(*given), expected), "a copy is not as the module"


def under_autocast():
    pixels, shapes = sum(h * w for h, w in SMALL), torch.tensor(SMALL, device=DEVICE)
    given = (rand(2, 9, WIDTH, seed=2), references_of(2, 9, len(SMALL), 2), rand(2, pixels, WIDTH), shapes, None)
    with imported(), torch.no_grad():
        module = spread(MSDeformAttn())
        expected = module(*given)
        with patched(), torch.autocast(DEVICE.type, dtype=torch.bfloat16):
            found = module(*given)
    assert found.dtype == torch.bfloat16
    return f"{require(distance(found, expected), 2e-2, 'bf16'):.1e}"


# Names of transformers' folders, and how their classes begin.
MODELS = {"deformable_detr": "DeformableDetr", "rt_detr": "RTDetr", "rt_detr_v2": "RTDetrV2",
          "mask2former": "Mask2FormerPixelDecoderEncoder", "oneformer": "OneFormerPixelDecoderEncoder",
          "grounding_dino": "GroundingDino", "omdet_turbo": "OmDetTurbo"}


def attention_of(folder, name, **settings):
    """A module of transformers with its model's configuration: the default one but for `settings`."""
    try:
        module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
        configs = importlib.import_module(f"transformers.models.{folder}.configuration_{folder}")
    except ImportError as missing:
        raise Skip(f"no {missing.name}") from missing
    made = getattr(module, name + "MultiscaleDeformableAttention")
    config_name = next((c for c in vars(configs) if c.lower() == folder.replace("_", "") + "config"), None)
    known = {"num_heads": 8, "n_points": 4, "num_points": 4, "embed_dim": 256, "n_levels": 3}
    if config_name is not None:
        known["config"] = getattr(configs, config_name)(**settings)
    wanted = list(inspect.signature(made.__init__).parameters)[1:]
    return made(**{key: known[key] for key in wanted if key in known})


def of_transformers():
    said = []
    for folder, name in MODELS.items():
        module = spread(attention_of(folder, name))
        count = next(getattr(module, key) for key in ("n_levels", "num_levels") if hasattr(module, key))
        levels = [(12 - 3 * l, 8 - 2 * l) for l in range(count)]
        width, pixels = module.value_proj.in_features, sum(h * w for h, w in levels)
        names = inspect.signature(module.forward).parameters
        boxes = ((1, 4),) if folder == "rt_detr_v2" else ((count, 2), (count, 4))
        for number, coordinates in boxes:
            for mask in (None, rand(2, pixels) < 0.7):
                given = {"hidden_states": rand(2, 9, width, seed=2), "encoder_hidden_states": rand(2, pixels, width),
                         "attention_mask": mask, "position_embeddings": rand(2, 9, width, seed=4),
                         "reference_points": references_of(2, 9, number, coordinates),
                         "spatial_shapes": torch.tensor(levels, device=DEVICE), "spatial_shapes_list": levels}
                given = {key: part for key, part in given.items() if key in names}
                worst, report = both(module, given)
        if "output_attentions" in names:
            with patched() as report:
                assert module(**given, output_attentions=True)[1] is not None
            assert any("attention weights" in why for _, why in report.left)
        said.append(f"{name} {worst:.1e}")
    return "; ".join(said)


def points_by_level():
    """RT-DETRv2 with numbers of points that differ by level."""
    module, levels = attention_of("rt_detr_v2", "RTDetrV2", decoder_n_points=4), [(12, 8), (9, 6), (6, 4)]
    if not hasattr(module, "n_points_list"):
        raise Skip("this version of transformers has the same number on each level")
    counts, heads, width = [3, 6, 3], module.n_heads, module.value_proj.in_features
    module.n_points_list = counts
    module.register_buffer("n_points_scale", torch.tensor([1 / n for n in counts for _ in range(n)]))
    module.sampling_offsets = torch.nn.Linear(width, heads * sum(counts) * 2)
    module.attention_weights = torch.nn.Linear(width, heads * sum(counts))
    module, pixels = spread(module), sum(h * w for h, w in levels)
    names = inspect.signature(module.forward).parameters
    given = {"hidden_states": rand(2, 9, width, seed=2), "encoder_hidden_states": rand(2, pixels, width),
             "attention_mask": rand(2, pixels) < 0.7, "position_embeddings": rand(2, 9, width, seed=4),
             "reference_points": references_of(2, 9, 1, 4), "spatial_shapes": torch.tensor(levels, device=DEVICE),
             "spatial_shapes_list": levels}
    error, _ = both(module, {key: part for key, part in given.items() if key in names})
    return f"{error:.1e}"


CHECKS = (of_mmcv_and_detrex, of_bevformer, of_deformable_detr, calls_for_the_models_own_forward, forwards_come_back,
          copies_and_pickles, under_autocast, of_transformers, points_by_level)
