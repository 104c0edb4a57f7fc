#!/usr/bin/env python3
# src/bench/peers/jax_peers.py: times an RWA written in JAX as a competent user would write it, a
# scan under jit, for comparison in `rwa bench`.
#
#   python3 jax_peers.py --name jax-rwa --mode forward|train --device cuda:N --variant jit
#       --batch B --units H --inputs D --steps T --threads N --seconds S
#
# Everything is fp32 without TF32. Prints one line of JSON. Exit code 3: this Python has no jax.
"""Helper of `rwa bench`: times RWA in JAX."""

import argparse
import json
import math
import os
import statistics
import sys
import time
from typing import Callable

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    print(f"jax_peers.py: no jax for {sys.executable}: {error}", file=sys.stderr)
    sys.exit(3)

MIN_REPETITIONS = 3
WARM_UPS = 2


def make_weights(inputs: int, units: int) -> dict:
    """As in torch_peers.py: u, g and a concatenated in of_x, g and a in of_h."""
    bound = 1 / math.sqrt(units)
    shapes = {"s0": (units,), "of_x": (inputs, 3 * units), "bias": (3 * units,),
              "of_h": (units, 2 * units)}
    keys = jax.random.split(jax.random.key(1), len(shapes))
    return {name: jax.random.uniform(key, shape, minval=-bound, maxval=bound)
            for key, (name, shape) in zip(keys, shapes.items())}


def last_h(weights: dict, x: jax.Array) -> jax.Array:
    """Return the last h for x [T, B, D], in the (r, L) form."""
    batch, units = x.shape[1], weights["s0"].size
    of_x = x @ weights["of_x"] + weights["bias"]

    def step(state: tuple, of_x_now: jax.Array) -> tuple:
        r, log_sum, h = state
        u, ga = jnp.split(of_x_now, [units], axis=1)
        g, a = jnp.split(ga + h @ weights["of_h"], 2, axis=1)
        r = r + jax.nn.sigmoid(a - log_sum) * (u * jnp.tanh(g) - r)
        return (r, jnp.logaddexp(log_sum, a), jnp.tanh(r)), None

    # A very low number instead of -inf, for which the gradient of logaddexp is NaN.
    start = (jnp.zeros((batch, units)), jnp.full((batch, units), -1e30),
             jnp.broadcast_to(jnp.tanh(weights["s0"]), (batch, units)))
    return jax.lax.scan(step, start, of_x)[0][2]


def loss(weights: dict, x: jax.Array) -> jax.Array:
    return last_h(weights, x).sum()


def median_seconds(seconds: float, call: Callable[[], object]) -> float:
    """Median seconds per call with waiting, over about `seconds` of calls after a warm-up."""
    for _ in range(WARM_UPS):
        jax.block_until_ready(call())
    times: list = []
    start = time.perf_counter()
    while len(times) < MIN_REPETITIONS or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", choices=["jax-rwa"], required=True)
    parser.add_argument("--mode", choices=["forward", "train"], default="forward")
    parser.add_argument("--variant", choices=["jit"], default="jit")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--units", type=int, default=250)
    parser.add_argument("--inputs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0)
    return parser.parse_args()


def find_device(name: str) -> jax.Device:
    kind, _, number = name.partition(":")
    return jax.devices(kind)[int(number or 0)]


def main() -> None:
    a = parse_arguments()
    device = find_device(a.device)
    jax.config.update("jax_default_device", device)
    jax.config.update("jax_default_matmul_precision", "highest")
    weights = make_weights(a.inputs, a.units)
    x = jax.random.uniform(jax.random.key(2), (a.steps, a.batch, a.inputs), minval=-1, maxval=1)
    work = jax.jit(last_h if a.mode == "forward" else jax.grad(loss))
    seconds = median_seconds(a.seconds, lambda: work(weights, x))
    if not all(bool(jnp.isfinite(part).all()) for part in jax.tree.leaves(work(weights, x))):
        sys.exit("jax_peers.py: a result is not finite")
    memory = device.memory_stats() or {}
    print(json.dumps({
        "name": a.name, "mode": a.mode, "batch": a.batch, "units": a.units, "inputs": a.inputs,
        "steps": a.steps, "us_per_step": round(seconds / a.steps * 1e6, 3),
        "peak_bytes": memory.get("peak_bytes_in_use", 0),
    }, separators=(",", ":")))


if __name__ == "__main__":
    main()
