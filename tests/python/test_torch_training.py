"""Training with PyTorch gives the losses of rwa.Trainer, which `rwa paper run` uses."""

from __future__ import annotations

import unittest
from typing import List, Tuple

import torch

import rwa
import rwa.torch

STEPS = 100  # as in the paper, with fewer sequences and units to be quick
BATCH, UNITS = 50, 100
ITERATIONS = 40


def adding_batch(generator: torch.Generator) -> Tuple[torch.Tensor, torch.Tensor]:
    """Return a mark and a value per step, [T,B,2], and the sum of the two marked values, [B,1]."""
    values = torch.rand(STEPS, BATCH, generator=generator)
    places = torch.rand(STEPS, BATCH, generator=generator).topk(2, dim=0).indices
    marks = torch.zeros(STEPS, BATCH).scatter_(0, places, 1.0)
    return torch.stack([marks, values], dim=2), (marks * values).sum(0).unsqueeze(1)


class Network(torch.nn.Module):
    """An rwa.Model with readout "last" in PyTorch, with the model's weights."""

    def __init__(self, model: rwa.Model) -> None:
        super().__init__()
        self.layer = rwa.torch.RWA(2, UNITS)
        self.output = torch.nn.Linear(UNITS, 1)
        names = {
            "layer.weight_ih_l0": "layers.0.weight_x",
            "layer.weight_hh_l0": "layers.0.weight_h",
            "layer.bias_l0": "layers.0.bias",
            "layer.start_l0": "layers.0.start",
            "output.weight": "output.weight",
            "output.bias": "output.bias",
        }
        weights = model.parameters
        self.load_state_dict(
            {ours: torch.from_dlpack(weights[theirs]) for ours, theirs in names.items()}
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.output(self.layer(x)[0][-1])


class TrainingTest(unittest.TestCase):
    def with_pytorch(self, network: Network) -> List[float]:
        generator = torch.Generator().manual_seed(1)
        adam = torch.optim.Adam(network.parameters(), lr=1e-3)
        losses = []
        for _ in range(ITERATIONS):
            x, target = adding_batch(generator)
            loss = torch.nn.functional.mse_loss(network(x), target)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
        return losses

    def with_the_library(self, model: rwa.Model) -> List[float]:
        generator = torch.Generator().manual_seed(1)
        trainer = rwa.Trainer(model, learning_rate=1e-3, threads=torch.get_num_threads())
        return [trainer.step(*adding_batch(generator)).loss for _ in range(ITERATIONS)]

    def test_adding_gets_the_same_losses_as_the_trainer(self) -> None:
        model = rwa.Model(inputs=2, units=UNITS, outputs=1, loss="squared-error", seed=3)
        found = self.with_pytorch(Network(model))
        expected = self.with_the_library(model)
        for step, pair in enumerate(zip(found, expected)):
            self.assertAlmostEqual(*pair, delta=1e-5, msg=f"step {step}")
        self.assertLess(found[-1], 0.5 * found[0])  # and it does learn


if __name__ == "__main__":
    unittest.main()
