#!/usr/bin/python3
# src/bench/peers/torch_peers.py: times PyTorch's LSTM, an RWA written in PyTorch as a competent
# user would write it, and rwa's own RWA as a PyTorch module (rwa.torch), for comparison in
# `rwa bench`.
#
#   /usr/bin/python3 torch_peers.py --name torch-lstm|torch-rwa|rwa.torch
#       --mode forward|train|stream --batch B --units H --inputs D --steps T --threads N --seconds S
#       --device cpu|cuda:N --variant fp32|eager|graph|'compiled graph'
#       --library librwa_c.so --package FOLDER
#
# With --library and --package, the package rwa comes from a source tree; otherwise it must be
# installed.
#
# On a GPU, CUDA events keep the time and everything is fp32 without TF32. `graph` replays the whole
# call as one CUDA graph; `compiled graph` also passes the step through torch.compile.
#
# Prints one line of JSON. Exit code 3: this Python has no torch; 127: no rwa.
"""Helper of `rwa bench`: times LSTM and RWA in PyTorch."""

import argparse
import importlib
import json
import math
import os
import statistics
import sys
import time
import warnings
from typing import Callable

try:
    import torch
except ImportError as error:
    print(f"torch_peers.py: no torch for {sys.executable}: {error}", file=sys.stderr)
    sys.exit(3)

CANNOT_RUN = 127
MIN_REPETITIONS = 3
GPU_WARM_UPS = 3
# Calls timed as one, as in rwa's own rows: a training loop does not wait for the GPU at each step.
GPU_BURST = 4
# A streamed step takes microseconds, so the clock is read once per block of steps.
STREAM_BLOCK = 200


class Rwa(torch.nn.Module):
    """Recurrent Weighted Average in its (r, L) form.

    r is the running weighted average and L the log of the sum of its weights, so that the weight of
    a new step is sigmoid(a - L) and nothing overflows.
    """

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(units)
        self.units = units
        self.s0 = torch.nn.Parameter(torch.empty(units).uniform_(-bound, bound))
        # u, g and a concatenated: one matrix product instead of three. This gives a a bias, which
        # scales all weights equally and so cancels: its gradient is zero.
        self.of_x = torch.nn.Linear(inputs, 3 * units)
        self.of_h = torch.nn.Linear(units, 2 * units, bias=False)

    def start(self, batch: int) -> tuple:
        r = self.s0.new_zeros(batch, self.units)
        return r, torch.full_like(r, -math.inf), torch.tanh(self.s0).expand(batch, -1)

    def project(self, x: torch.Tensor) -> tuple:
        """The terms that depend only on x, for one step or for all."""
        return self.of_x(x).split((self.units, 2 * self.units), dim=-1)

    def step(self, u: torch.Tensor, ga: torch.Tensor, state: tuple) -> tuple:
        r, log_sum, h = state
        g, a = torch.addmm(ga, h, self.of_h.weight.t()).chunk(2, dim=1)
        r = torch.lerp(r, u * torch.tanh(g), torch.sigmoid(a - log_sum))
        return r, torch.logaddexp(log_sum, a), torch.tanh(r)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last h for x [T, B, D]."""
        state = self.start(x.shape[1])
        # unbind, not u[t]: the gradient of indexing is a [T, B, H] array of zeros at each step.
        for u, ga in zip(*(part.unbind(0) for part in self.project(x))):
            state = self.step(u, ga, state)
        return state[2]


class Lstm(torch.nn.Module):
    """torch.nn.LSTM behind the same three methods."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(inputs, units)

    def start(self, batch: int) -> tuple:
        zeros = torch.zeros(1, batch, self.lstm.hidden_size)  # for streams, which run on the CPU
        return zeros, zeros

    def project(self, x: torch.Tensor) -> tuple:
        return (x.unsqueeze(0),)

    def step(self, x: torch.Tensor, state: tuple) -> tuple:
        return self.lstm(x, state)[1]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.lstm(x)[0][-1]


class RwaTorch(torch.nn.Module):
    """rwa.torch.RWA behind the same three methods."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        import rwa.torch
        self.layer = rwa.torch.RWA(inputs, units)

    def start(self, batch: int) -> None:
        return None  # the start of a sequence

    def project(self, x: torch.Tensor) -> tuple:
        return (x.unsqueeze(0),)

    def step(self, x: torch.Tensor, state: tuple) -> tuple:
        return self.layer(x, state)[1]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)[1].h[0]


def seconds_of(call: Callable[[], None], on_gpu: bool) -> float:
    if not on_gpu:
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(GPU_BURST):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / GPU_BURST


def median_seconds(seconds: float, call: Callable[[], None], on_gpu: bool = False) -> float:
    """Median seconds per call, over about `seconds` of calls after a warm-up."""
    for _ in range(GPU_WARM_UPS if on_gpu else 1):
        call()
    times: list = []
    start = time.perf_counter()
    while len(times) < MIN_REPETITIONS or time.perf_counter() - start < seconds:
        times.append(seconds_of(call, on_gpu))
    return statistics.median(times)


def graphed(call: Callable[[], None]) -> Callable[[], None]:
    """Capture the call as one CUDA graph, so that Python launches no kernels."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(GPU_WARM_UPS):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def timed(call: Callable[[], None], x: torch.Tensor, variant: str, seconds: float) -> float:
    if "graph" in variant:
        call = graphed(call)
    return median_seconds(seconds, call, x.is_cuda)


def time_forward(model: torch.nn.Module, x: torch.Tensor, variant: str, seconds: float) -> float:
    with torch.inference_mode():
        result = timed(lambda: model(x), x, variant, seconds)
        require_finite([model(x)])
    return result


def time_train(model: torch.nn.Module, x: torch.Tensor, variant: str, seconds: float) -> float:
    def call() -> None:
        model.zero_grad(set_to_none=True)
        model(x).sum().backward()

    result = timed(call, x, variant, seconds)
    require_finite([parameter.grad for parameter in model.parameters()])
    return result


def time_stream(model: torch.nn.Module, x: torch.Tensor, _: str, seconds: float) -> float:
    state = model.start(1)

    def call() -> None:
        nonlocal state
        for _ in range(STREAM_BLOCK):
            state = model.step(*model.project(x[0]), state)

    with torch.inference_mode():
        result = median_seconds(seconds, call) / STREAM_BLOCK
    require_finite(state)
    return result


def require_finite(tensors: list) -> None:
    if not all(torch.isfinite(tensor).all() for tensor in tensors):
        sys.exit("torch_peers.py: a result is not finite")


def warn_of_slow_blas() -> None:
    """Debian's torch uses the system's BLAS; the default one is over ten times slower."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        if "/usr/lib/x86_64-linux-gnu/blas/libblas" in maps.read():
            print("torch_peers.py: torch uses the slow reference BLAS; for a fair comparison "
                  "install libopenblas0-openmp", file=sys.stderr)


def find_rwa(library: str, package: str) -> None:
    """Import rwa.torch: from the folder `package` with `library`, or as installed."""
    if library:
        os.environ.setdefault("RWA_LIBRARY", library)
        sys.path.insert(0, package)
    try:
        importlib.import_module("rwa.torch")
    except ImportError as error:
        print(f"torch_peers.py: no rwa for {sys.executable}: {error}", file=sys.stderr)
        sys.exit(CANNOT_RUN)


def peak_bytes(a: argparse.Namespace) -> int:
    """Peak GPU memory, or peak resident memory of this process; 0 if /proc does not tell."""
    if a.device != "cpu" and a.name == "rwa.torch":  # PyTorch does not see rwa's allocations
        return a.free_bytes - torch.cuda.mem_get_info()[0]
    if a.device != "cpu":
        return torch.cuda.max_memory_allocated()
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


MODELS = {"torch-lstm": Lstm, "torch-rwa": Rwa, "rwa.torch": RwaTorch}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", choices=sorted(MODELS), required=True)
    parser.add_argument("--mode", choices=["forward", "train", "stream"], default="forward")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--units", type=int, default=250)
    parser.add_argument("--inputs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--variant", choices=["fp32", "eager", "graph", "compiled graph"],
                        default="eager")
    parser.add_argument("--library", default="")
    parser.add_argument("--package", default="")
    arguments = parser.parse_args()
    if arguments.mode == "stream":
        arguments.batch = arguments.steps = 1
    return arguments


def prepare(a: argparse.Namespace) -> None:
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    if a.name == "rwa.torch":
        find_rwa(a.library, a.package)
    if a.device == "cpu":
        warn_of_slow_blas()
        return
    # Hide hints that TF32 would be faster or has a newer switch: they would clutter the table.
    warnings.filterwarnings("ignore", message=".*(TF32|TensorFloat32)")
    torch.cuda.set_device(a.device if ":" in a.device else "cuda:0")
    torch.backends.cudnn.allow_tf32 = False  # already the default for matrix products
    a.free_bytes = torch.cuda.mem_get_info()[0]


def make_model(a: argparse.Namespace) -> torch.nn.Module:
    model = MODELS[a.name](a.inputs, a.units).to(a.device)
    if "compiled" in a.variant:
        model.step = torch.compile(model.step)
    return model


def main() -> None:
    a = parse_arguments()
    prepare(a)
    model = make_model(a)
    x = (torch.rand(a.steps, a.batch, a.inputs) * 2 - 1).to(a.device)
    timers = {"forward": time_forward, "train": time_train, "stream": time_stream}
    seconds = timers[a.mode](model, x, a.variant, a.seconds)
    print(json.dumps({
        "name": a.name, "mode": a.mode, "batch": a.batch, "units": a.units, "inputs": a.inputs,
        "steps": a.steps, "threads": a.threads,
        "us_per_step": round(seconds / a.steps * 1e6, 3), "peak_bytes": peak_bytes(a),
    }, separators=(",", ":")))


if __name__ == "__main__":
    main()
