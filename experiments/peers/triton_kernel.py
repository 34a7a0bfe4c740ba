"""Multi-scale deformable attention in Triton, as one writes it without tuning: a program has a few rows
(image, query, head) with all their channels, in fp32 arithmetic."""
import triton
import triton.language as tl


@triton.jit
def msda(value, shapes, starts, locations, weights, output, rows, queries, spatial_size, heads, levels,
         points, CHANNELS: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    head = row % heads
    image = row // heads // queries
    channel = tl.arange(0, CHANNELS)
    sums = tl.zeros([ROWS, CHANNELS], dtype=tl.float32)
    for level in range(levels):
        height = tl.load(shapes + 2 * level).to(tl.int32)
        width = tl.load(shapes + 2 * level + 1).to(tl.int32)
        first = image * spatial_size + tl.load(starts + level)
        for point in range(points):
            at = (row * levels + level) * points + point
            x = tl.load(locations + 2 * at, mask=exists, other=-1.0).to(tl.float32) * width - 0.5
            y = tl.load(locations + 2 * at + 1, mask=exists, other=-1.0).to(tl.float32) * height - 0.5
            weight = tl.load(weights + at, mask=exists, other=0.0).to(tl.float32)
            # False for what is no number, too.
            counts = exists & (x > -1) & (x < width) & (y > -1) & (y < height)
            x = tl.where(counts, x, 0.0)
            y = tl.where(counts, y, 0.0)
            left = tl.floor(x)
            top = tl.floor(y)
            for corner in tl.static_range(4):
                dx = corner % 2
                dy = corner // 2
                column = left.to(tl.int32) + dx
                line = top.to(tl.int32) + dy
                share = weight * (1.0 - tl.abs(x - left - dx)) * (1.0 - tl.abs(y - top - dy))
                inside = counts & (column >= 0) & (column < width) & (line >= 0) & (line < height)
                pixel = first + line * width + column
                element = (pixel * heads + head)[:, None] * CHANNELS + channel[None, :]
                read = tl.load(value + element, mask=inside[:, None], other=0.0).to(tl.float32)
                sums += share[:, None] * read
    to = output + row[:, None] * CHANNELS + channel[None, :]
    tl.store(to, sums.to(output.dtype.element_ty), mask=exists[:, None])
