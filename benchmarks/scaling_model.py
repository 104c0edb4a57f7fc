"""A model of a training step on ranks: rows of the rank with the most, plus sums over ranks.

Rows cost a fixed time plus a time per row; a message between two ranks costs a fixed time plus a
time per byte. The numbers come from scaling.py, except those marked as assumed.
"""

import collections
import itertools
import math

SHARDS = 8  # src/base/shards.h
SHORT_BYTES = 8192  # src/comm/ranks.cc
PIECE_BYTES = 1 << 18  # src/comm/mpi/job.cc

# `fixed` and `row` are seconds on one thread.
Network = collections.namedtuple("Network", "parameters length fixed row")
# Seconds per message and per byte.
Line = collections.namedtuple("Line", "message byte")

# Assumed. Copying and adding, as measured, come on top of the wire.
WIRES = {"25 Gbit/s, 20 µs": Line(20e-6, 8 / 25e9), "200 Gbit/s, 2 µs": Line(2e-6, 8 / 200e9)}

# RWA on an H200, training: seconds per time step by rows, at 250 (100 rows) or 256 units; and the
# fixed time per training step. From docs/performance.md.
GPU_ROWS = {16: 2.36e-6, 64: 2.49e-6, 100: 2.64e-6, 256: 7.43e-6, 1024: 22.6e-6}
GPU_STEP = 0.12e-3
# Assumed for NCCL, per sum: a fixed time, the time per doubling of the ranks, and per byte.
NCCL_SUM = 10e-6
NCCL_DOUBLING = 5e-6
NCCL_BYTE = 1 / 40e9
GPU_HOSTS = WIRES["200 Gbit/s, 2 µs"]


def fitted(points):
    """Fit a·u + b·v = y to points (a, b, y) by relative error; return u and v, not below 0."""
    rows = [(a / y, b / y) for a, b, y in points]
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = (sum(row[i] for row in rows) for i in (0, 1))
    whole = aa * bb - ab * ab
    u, v = (a * bb - b * ab) / whole, (aa * b - ab * a) / whole
    return (u, v) if u >= 0 else (0, b / bb)


def shards_of(ranks, shards=SHARDS):
    """Return the shards of each of at most eight ranks: worker_shards() in src/base/shards.h."""
    if ranks == 1:
        return [shards]
    left = (ranks + 1) // 2
    return shards_of(left, shards // 2) + shards_of(ranks - left, shards // 2)


def most_rows(batch, ranks):
    """Return the rows of the rank with the most: rank_cut() in src/base/shards.h."""
    counts = shards_of(ranks) if ranks <= SHARDS else [1] * ranks
    edges = [batch * edge // sum(counts) for edge in itertools.accumulate(counts, initial=0)]
    return max(end - begin for begin, end in itertools.pairwise(edges))


def messages_of_sum(size, ranks):
    """Return the messages that a rank waits for in sequence in Ranks::sum(), and their bytes."""
    levels = int(math.log2(ranks))
    if size <= SHORT_BYTES:
        sizes = [size] * levels
    else:
        sizes = 2 * [size * 0.5**level for level in range(1, levels + 1)]
    if ranks != 1 << levels:
        sizes += [size, size]
    return sum(math.ceil(each / PIECE_BYTES) for each in sizes), sum(sizes)


def seconds_of_sums(network, ranks, line):
    """Per step: three flags and two counts, the gradient, the loss."""
    costs = [messages_of_sum(size, ranks) for size in (24, 16, 4 * network.parameters, 8)]
    return sum(count * line.message + sent * line.byte for count, sent in costs)


def seconds_of_rows(network, rows):
    return network.fixed + network.row * rows


def cpu_step(network, line, batch, ranks):
    rows = seconds_of_rows(network, most_rows(batch, ranks))
    return rows + seconds_of_sums(network, ranks, line)


def gpu_step(network, batch, ranks):
    """The hosts communicate while the GPUs work on the previous step."""
    rows = max(most_rows(batch, ranks), min(GPU_ROWS))
    above = next((size for size in GPU_ROWS if size > rows), max(GPU_ROWS))
    below = max(size for size in GPU_ROWS if size < above)
    slope = (GPU_ROWS[above] - GPU_ROWS[below]) / (above - below)
    device = GPU_STEP + network.length * (GPU_ROWS[below] + slope * (rows - below))
    if ranks == 1:
        return device
    levels = math.ceil(math.log2(ranks))
    size = 4 * network.parameters
    device += NCCL_SUM + levels * NCCL_DOUBLING + 2 * size * (1 - 1 / ranks) * NCCL_BYTE
    # Flags and counts, and two meetings: a size and a text, in both directions.
    host = (2 + 2 * 4) * levels * GPU_HOSTS.message
    return max(device, host)


def efficiency(step, batch, ranks):
    """Efficiency of step(batch, ranks): the time of one rank over the total time of all ranks."""
    return step(batch, 1) / (ranks * step(batch, ranks))


def least_batch(step, ranks, most=1 << 20):
    """Return the smallest multiple of the ranks with efficiency 0.5 or more, or None."""
    batches = range(ranks, most, ranks)
    return next((batch for batch in batches if efficiency(step, batch, ranks) >= 0.5), None)
