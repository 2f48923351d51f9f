"""Fully connected networks inside kernels: one position at a time, zeros skipped, so that few ones cost little.

A network is packed into two arrays: ``sizes`` int64[layers + 1], units from the input to the output, and ``params``
float32, for each layer its weights [inputs, units] row after row and then its biases. Hidden layers end in a ReLU with
the slope ``leak`` below zero; where ``residual``, a hidden layer as wide as its input adds it afterwards. This file
imports nothing of ours that is compiled, since the disk cache looks only at one file.
"""

import numpy as np
from numba import njit

from stammtisch.envs.core.jit import entry


@njit(fastmath=True, error_model="numpy")
def dense_forward(x, sizes, params, leak, residual, work, out):
    """Fill ``out`` with what the network says to the inputs ``x``.

    Args:
        x: int8 or float32[sizes[0]].
        sizes: units of every layer.
        params: weights and biases of every layer.
        leak: slope of hidden units below zero.
        residual: whether hidden layers add their input.
        work: float32[2, widest hidden layer], room to work in.
        out: float32[sizes[-1]], filled.
    """
    last = len(sizes) - 2
    at = 0
    for layer in range(last + 1):
        before, units = sizes[layer], sizes[layer + 1]
        source = work[(layer + 1) & 1]
        target = out if layer == last else work[layer & 1]
        bias = params[at + before * units : at + (before + 1) * units]
        for j in range(units):
            target[j] = bias[j]
        for i in range(before):
            value = np.float32(x[i]) if layer == 0 else source[i]
            if value != 0.0:
                row = params[at + i * units : at + (i + 1) * units]
                for j in range(units):
                    target[j] += value * row[j]
        if layer < last:
            adds = residual and layer > 0 and before == units
            for j in range(units):
                value = target[j]
                if value < 0.0:
                    value *= leak
                target[j] = value + source[j] if adds else value
        at += (before + 1) * units


def _forward_rows(rows, sizes, params, leak, residual, out):
    """Fill ``out`` [n, outputs] with what the network says to each of ``rows`` [n, inputs]."""
    widest = 1
    for k in range(1, len(sizes) - 1):
        widest = max(widest, sizes[k])
    work = np.empty((2, widest), np.float32)
    for i in range(len(rows)):
        dense_forward(rows[i], sizes, params, leak, residual, work, out[i])


forward_rows = entry(_forward_rows, nogil=True)
