"""Compares gradients in directories with autograd of the fused operator, written in PyTorch, in float64.

usage: fused_autograd.py DIRECTORY...
Each has a file "sizes" (B Q H C COORDINATES ANCHORS, then height, width and points of each level) and the tensors, as
float64; padding_mask, of bytes, is empty or has those of [B, S].
"""
import pathlib
import sys

import torch
import torch.nn.functional as F


class Case:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        numbers = list(map(int, (self.directory / "sizes").read_text().split()))
        self.batch, self.queries, self.heads, self.channels, self.coordinates, self.anchors = numbers[:6]
        self.levels = list(zip(numbers[6::3], numbers[7::3]))
        self.points = numbers[8::3]
        mask = bytearray((self.directory / "padding_mask").read_bytes())
        self.mask = torch.frombuffer(mask, dtype=torch.bool).view(self.batch, -1) if mask else None
        rows = (self.batch, self.queries, self.heads)
        self.shapes = {
            "value": (self.batch, sum(h * w for h, w in self.levels), self.heads, self.channels),
            "offsets": rows + (sum(self.points), 2),
            "logits": rows + (sum(self.points),),
            "reference_points": rows[:2] + (self.anchors or len(self.levels), self.coordinates),
            "grad_output": rows[:2] + (self.heads * self.channels,),
        }

    def read(self, name, shape):
        content = bytearray((self.directory / name).read_bytes())
        return torch.frombuffer(content, dtype=torch.float64).view(shape)

    def fused(self, value, offsets, logits, reference_points):
        """The output [B, Q, H*C]."""
        weights = logits.softmax(-1)
        if self.mask is not None:
            value = value.masked_fill(self.mask[..., None, None], 0.0)
        sampled = []
        first = 0
        offset_of_level = offsets.split(self.points, 3)
        for number, (height, width) in enumerate(self.levels):
            points = self.points[number]
            of_points = [p % self.anchors if self.anchors else number for p in range(points)]
            reference = reference_points[:, :, None, of_points]  # [B, Q, 1, P, K]
            offset = offset_of_level[number]
            if self.coordinates == 2:
                location = reference + offset / torch.tensor([width, height], dtype=torch.float64)
            else:
                location = reference[..., :2] + offset / points * reference[..., 2:] * 0.5
            level = value[:, first:first + height * width].permute(0, 2, 3, 1)
            level = level.reshape(self.batch * self.heads, self.channels, height, width)
            grid = (2 * location - 1).permute(0, 2, 1, 3, 4).flatten(0, 1)  # [B*H, Q, P, 2]
            sampled.append(F.grid_sample(level, grid, padding_mode="zeros", align_corners=False))
            first += height * width
        weights = weights.permute(0, 2, 1, 3).flatten(0, 1)[:, None]  # [B*H, 1, Q, L*P]
        output = (torch.cat(sampled, -1) * weights).sum(-1)  # [B*H, C, Q]
        return output.view(self.batch, self.heads * self.channels, self.queries).transpose(1, 2)

    def count_wrong(self):
        names = ["value", "offsets", "logits", "reference_points"]
        inputs = [self.read(name, self.shapes[name]).requires_grad_(True) for name in names]
        of_output = self.read("grad_output", self.shapes["grad_output"])
        found = torch.autograd.grad(self.fused(*inputs), inputs, of_output)
        wrong = 0
        for name, gradient in zip(names, found):
            expected = self.read("grad_" + name, self.shapes[name])
            # On a CPU grid_sample multiplies NaN with the zeros outside of the image, on a GPU it does not.
            outside = (expected == 0) & gradient.isnan() & torch.tensor(name == "offsets")
            same = torch.equal(gradient.isnan() & ~outside, expected.isnan())
            difference = (gradient - expected).abs().nan_to_num(0).max().item()
            print(f"{self.directory.name} {name}: {difference:.1e}, {int(expected.isnan().sum())} without a number")
            wrong += not same or difference > 1e-9 or bool(gradient.isnan().all())
        return wrong


sys.exit(sum(Case(directory).count_wrong() for directory in sys.argv[1:]))
