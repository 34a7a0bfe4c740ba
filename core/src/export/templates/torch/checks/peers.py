"""The grids of sizes of other implementations' own tests, forward and backward."""

import torch

from . import DEVICE, TOLERANCE, TYPES, call, distance, exact, exact_gradients, gradients_of, require, tensors
from .gradients import compare, off_knots


def of_deformable_detr_and_mmcv():
    """Their channels, odd ones and those beyond a block's threads."""
    worst = 0
    levels = [(6, 4), (3, 2)]
    for channels in (4, 30, 32, 64, 71, 144, 1025, 2048, 3096):
        parts = off_knots(levels, torch.float32, batch=1, queries=2, heads=2, channels=channels, points=2, outside=0)
        worst = max(worst, require(distance(call(levels, parts), exact(parts[0], levels, *parts[1:])), 3e-7,
                                   f"{channels} channels"))
        compare(gradients_of(lambda *p: call(levels, p), parts), exact_gradients(levels, parts), 3e-6,
                f"{channels} channels")
    return f"{worst:.1e}"


def of_the_ports_to_triton():
    """24 channels, points from -0.5 to 1.5, and points on corners, edges and in the middle."""
    worst = 0
    levels = [(8, 8), (4, 4), (2, 2)]
    for dtype in TYPES.values():
        for corners in (False, True):
            value, locations, weights = tensors(levels, dtype, channels=24, outside=0.5)
            if corners:
                locations = (locations.float().clamp(0, 1) * 2).round().div(2).to(dtype)
            error = distance(call(levels, (value, locations, weights)), exact(value, levels, locations, weights))
            worst = max(worst, require(error, TOLERANCE[dtype], f"{dtype}"))
            if not corners:
                parts = off_knots(levels, dtype, channels=24, outside=0.5)
                compare(gradients_of(lambda *p: call(levels, p), parts), exact_gradients(levels, parts),
                        10 * TOLERANCE[dtype], f"{dtype}")
    return f"{worst:.1e}"


def types_beside_each_other():
    """Values in bf16 beside locations in fp16, and all other pairs."""
    worst = 0
    levels = [(16, 20), (8, 10)]
    for dtype in TYPES.values():
        for location_type in TYPES.values():
            value, locations, weights = tensors(levels, dtype, location_type=location_type, heads=8)
            for weight_type in TYPES.values():
                given = (value, locations, weights.to(weight_type))
                error = distance(call(levels, given), exact(value, levels, *given[1:]))
                worst = max(worst, require(error, 2 * TOLERANCE[dtype], f"{dtype}, {location_type}, {weight_type}"))
    return f"{worst:.1e}"


def points_of_any_number():
    worst = 0
    levels = [(17, 13), (9, 7)]
    for points in (1, 2, 3, 4, 8, 13, 32):
        for heads in (1, 3, 16):
            parts = off_knots(levels, torch.float32, points=points, heads=heads, channels=16)
            worst = max(worst, require(distance(call(levels, parts), exact(parts[0], levels, *parts[1:])), 2e-6,
                                       f"{points} points"))
            compare(gradients_of(lambda *p: call(levels, p), parts), exact_gradients(levels, parts), 1e-5,
                    f"{points} points")
    return f"{worst:.1e}"


CHECKS = (of_deformable_detr_and_mmcv, of_the_ports_to_triton, types_beside_each_other, points_of_any_number)
