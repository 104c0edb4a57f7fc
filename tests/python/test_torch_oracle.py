"""Check the oracle itself against the paper's definition, known values and numerical gradients."""

from __future__ import annotations

import unittest
from typing import Tuple

import oracle
import torch


def random_weights(cell: str, inputs: int, units: int, seed: int = 1) -> oracle.Weights:
    generator = torch.Generator().manual_seed(seed)
    x, h, bias = (units * len(blocks) for blocks in oracle.BLOCKS[cell])

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    return oracle.Weights(draw(x, inputs), draw(h, units), draw(bias), draw(units))


def random_input(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()


class OracleTest(unittest.TestCase):
    def test_is_the_definition_of_the_paper(self) -> None:
        weights = random_weights("rwa", 3, 4)
        x = random_input(9, 2, 3)
        _, end = oracle.run("rwa", weights, x)
        torch.testing.assert_close(end.h, oracle.definition(weights, x), rtol=1e-12, atol=1e-12)

    def test_gives_the_golden_values(self) -> None:
        """D = 3, H = 2; the golden values were computed in double precision."""

        def double(rows: list) -> torch.Tensor:
            return torch.tensor(rows, dtype=torch.float64)

        weights = oracle.Weights(
            ih=double(
                [
                    [0.0099470, 0.8399450, -0.2081483],
                    [0.9820264, 0.3257544, 0.1064337],
                    [0.90352, 0.25258, 0.76472],
                    [0.73948, 0.98564, 0.20552],
                    [0.63997, -0.21826, 0.88730],
                    [0.25009, 0.11063, 0.72248],
                ]
            ),
            hh=double(
                [[0.97504, 0.35937], [-0.37616, 0.69398], [0.26337, 0.28690], [-0.29784, -0.79788]]
            ),
            bias=double([0.090838, 0.496761, 0.051791, 0.479197]),
            start=double([0.074941, -1.132446]),
        )
        x = double(
            [[0.29989, 0.36990, 0.50296], [0.37573, 0.29873, 0.22233], [0.45905, 0.14858, 0.78369]]
        )
        outputs, _ = oracle.run("rwa", weights, x.unsqueeze(1))
        expected = double(
            [
                [0.0492046389782342, 0.329647264460335],
                [0.121526463691003, 0.39991373726902],
                [0.208414995451506, 0.497820917070223],
            ]
        )
        torch.testing.assert_close(outputs.squeeze(1), expected, rtol=1e-13, atol=1e-13)

    def test_gradients_are_those_of_differences(self) -> None:
        for cell in oracle.BLOCKS:
            for reverse in (False, True):
                with self.subTest(cell=cell, reverse=reverse):
                    weights = random_weights(cell, 2, 3)
                    state = [random_input(2, 3) for _ in oracle.Average._fields]

                    def outputs(*tensors: torch.Tensor) -> Tuple[torch.Tensor, ...]:
                        y, end = oracle.run(
                            cell,
                            oracle.Weights(*tensors[:4]),
                            tensors[4],
                            [4, 2],
                            oracle.Average(*tensors[5:]),
                            reverse,
                        )
                        return (y, *end)

                    self.assertTrue(
                        torch.autograd.gradcheck(outputs, (*weights, random_input(4, 2, 2), *state))
                    )

    def test_gradients_of_the_start(self) -> None:
        weights = random_weights("rwa", 2, 3)
        x = random_input(4, 2, 2)
        self.assertTrue(
            torch.autograd.gradcheck(
                lambda *tensors: oracle.run("rwa", oracle.Weights(*tensors), x)[0], tuple(weights)
            )
        )

    def test_survives_attention_beyond_the_exponential(self) -> None:
        weights = random_weights("rwa", 3, 4)
        outputs, end = oracle.run("rwa", weights, 1000 * random_input(9, 2, 3))
        self.assertTrue(torch.isfinite(outputs).all() and torch.isfinite(end.log_weight).all())

    def test_a_gate_that_never_forgets_is_the_paper(self) -> None:
        plain = random_weights("rwa", 3, 4)
        g, u = plain.bias.split(4)
        decay = plain._replace(bias=torch.cat([g, torch.full_like(g, 100.0), u]))
        x = random_input(9, 2, 3)
        torch.testing.assert_close(
            oracle.run("rwa-decay", decay, x)[0],
            oracle.run("rwa", plain, x)[0],
            rtol=1e-12,
            atol=1e-12,
        )


if __name__ == "__main__":
    unittest.main()
