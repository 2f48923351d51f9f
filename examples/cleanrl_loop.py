"""A policy-gradient loop in the style of CleanRL on ``gym.make_vec``; the masks come from ``info``."""

import sys

import gymnasium as gym
import numpy as np
import torch

import stammtisch  # noqa: F401  (registers the environments)


def main(steps: int = 200_000, game: str = "EinStein3x3-v0", lanes: int = 256) -> float:
    """Train with one update per rollout and return the mean result of the last games."""
    torch.manual_seed(0)
    env = gym.make_vec(f"stammtisch/{game}", num_envs=lanes, opponent="random", autoreset_mode="SameStep")
    inputs, actions = int(np.prod(env.single_observation_space.shape)), int(env.single_action_space.n)
    actor = torch.nn.Sequential(torch.nn.Linear(inputs, 128), torch.nn.Tanh(), torch.nn.Linear(128, actions + 1))
    optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
    obs, info = env.reset(seed=0)
    results: list[float] = []
    for _ in range(max(1, steps // (lanes * 16))):
        logs, values, rewards, dones = [], [], [], []
        for _ in range(16):
            out = actor(torch.from_numpy(obs.reshape(lanes, -1).astype(np.float32)))
            logits = out[:, :actions].masked_fill(torch.from_numpy(info["action_mask"] == 0), -1e8)
            choice = torch.distributions.Categorical(logits=logits)
            action = choice.sample()
            obs, reward, terminated, _, info = env.step(action.numpy())
            logs.append(choice.log_prob(action))
            values.append(out[:, actions])
            rewards.append(torch.from_numpy(reward).float())
            dones.append(torch.from_numpy(terminated))
            results += reward[terminated].tolist()
        with torch.no_grad():
            target = actor(torch.from_numpy(obs.reshape(lanes, -1).astype(np.float32)))[:, actions]
        loss = torch.zeros(())
        for log, value, reward, done in zip(*map(reversed, (logs, values, rewards, dones)), strict=True):
            target = reward + 0.99 * torch.where(done, 0.0, target)
            advantage = (target - value).detach()
            loss = loss - (log * advantage).mean() + 0.5 * (value - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    mean = float(np.mean(results[-1000:]))
    print(f"mean result {mean:+.2f} in the last {min(1000, len(results))} games against random")
    return mean


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
