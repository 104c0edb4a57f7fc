#!/usr/bin/env python3
"""Find the coefficients of src/backend/cpu/vector_math-inl.h and print their errors.

    /usr/bin/python3 tools/minimax.py        (needs python3-numpy)

Each fit is minimax in the relative error, by Lawson's reweighted least squares in double. The
coefficients are rounded to float, and the error of the float evaluation (with fused multiply-add,
as in the vector code) is measured on a dense grid.
"""
import numpy as np


def lawson(columns, target, rounds=400):
    """Return the coefficients c that minimise max |columns @ c - target|, and that error."""
    weight = np.ones(len(target)) / len(target)
    best, best_error = None, np.inf
    for _ in range(rounds):
        root = np.sqrt(weight)
        c = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        error = np.abs(columns @ c - target)
        if error.max() < best_error:
            best, best_error = c, error.max()
        weight = weight * (error + 1e-3 * error.max())
        weight /= weight.sum()
    return best, best_error


def nodes(low, high, count=4001):
    return 0.5 * (low + high) - 0.5 * (high - low) * np.cos(np.pi * np.arange(count) / (count - 1))


def fma(a, b, c):  # float operands: the double product is exact, so it (almost always) rounds once
    return (a.astype(np.float64) * b + c).astype(np.float32)


def horner(coefficients, x):
    value = np.full_like(x, np.float32(coefficients[-1]))
    for c in coefficients[-2::-1]:
        value = fma(value, x, np.float64(np.float32(c)))
    return value


def ulps(value, exact):
    return np.max(np.abs(value.astype(np.float64) - exact) / np.spacing(np.abs(exact).astype(np.float32)))


def show(name, coefficients):
    print(name, ", ".join(f"{np.float32(c):.9g}f" for c in coefficients))


def fit_log1p(degree=9):
    """Fit log1p(x) = x - x^2 P(x) on [0, 1]; the exact first term keeps small x accurate."""
    x = nodes(1e-4, 1.0)
    exact = np.log1p(x)
    columns = np.stack([x ** (k + 2) / exact for k in range(degree)], axis=1)
    c, error = lawson(columns, (x - exact) / exact)
    show(f"log1p (relative {error:.1e}):", c)
    x = np.linspace(1e-30, 1, 2000001).astype(np.float32)
    value = fma(-horner(c, x), (x.astype(np.float64) * x).astype(np.float32), x)
    print("   ", ulps(value, np.log1p(x.astype(np.float64))), "ulp")


def fit_exp(degree=6):
    """Fit exp(r) = 1 + r + r^2 P(r) on [-ln2/2, ln2/2]."""
    half = 0.5 * np.log(2) * 1.0001
    r = nodes(-half, half, 4000)
    columns = np.stack([r ** (k + 2) / np.exp(r) for k in range(degree - 1)], axis=1)
    c, error = lawson(columns, (np.exp(r) - 1 - r) / np.exp(r))
    show(f"exp (relative {error:.1e}):", c)


def fit_tanh(p=6, q=4, limit=9.02):
    """Fit tanh(x) = x P(x^2) / Q(x^2), Q(0) = 1, for |x| <= limit; beyond it a float gives +-1."""
    x = nodes(1e-3, limit)
    exact = np.tanh(x) / x
    s = x * x
    denominator = np.ones_like(s)
    best, best_error, best_poly = None, np.inf, None
    weight = np.ones_like(s) / len(s)
    for _ in range(600):  # Sanathanan-Koerner steps with Lawson weights
        scale = np.sqrt(weight) / (denominator * exact)
        columns = np.concatenate([np.stack([s ** k for k in range(p + 1)], axis=1),
                                  np.stack([-exact * s ** k for k in range(1, q + 1)], axis=1)], axis=1)
        norm = np.abs(columns).max(axis=0)
        c = np.linalg.lstsq(columns / norm * scale[:, None], exact * scale, rcond=None)[0] / norm
        numerator = sum(c[k] * s ** k for k in range(p + 1))
        denominator = 1 + sum(c[p + k] * s ** k for k in range(1, q + 1))
        error = np.abs(numerator / denominator / exact - 1)
        if error.max() < best_error:
            best_error, best = error.max(), (c[:p + 1], np.concatenate([[1.0], c[p + 1:]]))
        weight = weight * (error + 1e-2 * error.max())
        weight /= weight.sum()
    top, bottom = best
    show(f"tanh numerator (relative {best_error:.1e}):", top)
    show("tanh denominator:", bottom)
    x = np.linspace(1e-6, limit, 2000001).astype(np.float32)
    s = (x.astype(np.float64) * x).astype(np.float32)
    n = (horner(top, s).astype(np.float64) * x).astype(np.float32)
    value = (n / horner(bottom, s)).astype(np.float32)
    print("   ", ulps(value, np.tanh(x.astype(np.float64))), "ulp; largest", value.max())


if __name__ == "__main__":
    fit_log1p()
    fit_exp()
    fit_tanh()
