"""Mutated messages: what a broken, careless or hostile program might send."""

import copy
import json

_VALUES = [
    None,
    True,
    False,
    0,
    -1,
    1,
    3,
    6,
    14,
    15,
    11.0,
    1e308,
    10**40,
    10**400,
    -(2**63),
    "",
    "x",
    "HEARTS",
    "TRUMPF",
    "SCHIEBE",
    "TOURNAMENT",
    "\ud800",
    "\x00",
    "\x1b[2J\x9b31m\u202e",
    "🂡" * 60,
    "é" * 300,
    [],
    {},
    [[]],
    {"mode": "TRUMPF"},
    {"number": 6, "color": "SPADES"},
]
_TEXTS = [
    "",
    " ",
    "null",
    "[]",
    "{}",
    "hello",
    '"',
    "[" * 3000,
    '{"type":"ERROR","data":' + "[" * 500 + "]" * 500 + "}",
    '{"type":"BROADCAST_WINNER_TEAM","data":{"name":"Team 1","points":1e400,"currentRoundPoints":0}}',
    '{"type":',
    "\u0000",
    "1e999",
    '{"type":"CHOOSE_CARD"}',
]


def mutant(message, rng, others):
    """Return the text of a message with something changed, or of nothing like it.

    Args:
        message: a message as JSON knows it.
        rng: a ``random.Random``.
        others: other messages, to take parts from.
    """
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice(_TEXTS)
    if kind == 1:
        return _scratched(json.dumps(message), rng)
    if kind == 2:
        return json.dumps({**message, "type": rng.choice(others)["type"]})
    if kind == 3:
        return json.dumps({**message, "data": rng.choice(others).get("data")})
    if kind == 4:
        return json.dumps(rng.choice(others))
    changed = copy.deepcopy(message)
    for _ in range(rng.randrange(1, 4)):
        change(changed, rng)
    return json.dumps(changed)


def _scratched(text, rng):
    """Change some characters."""
    letters = list(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(letters) + 1)
        action = rng.randrange(3)
        if action == 0:
            letters.insert(at, chr(rng.choice([0, 34, 44, 91, 123, 125, 0x20AC, 0x1F0A1])))
        elif action == 1:
            del letters[at : at + rng.randrange(1, 8)]
        else:
            letters[at:at] = letters[at : at + rng.randrange(1, 30)]
    return "".join(letters)


def change(value, rng):
    """Change one thing somewhere inside a list or an object."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        if isinstance(value, dict):
            value["extra"] = copy.deepcopy(rng.choice(_VALUES))
        else:
            value.append(copy.deepcopy(rng.choice(_VALUES)))
        return
    key = rng.choice(keys)
    inner = value[key]
    if isinstance(inner, dict | list) and rng.random() < 0.7:
        change(inner, rng)
    elif rng.random() < 0.25:
        del value[key]
    elif rng.random() < 0.3 and isinstance(value, list):
        value.insert(rng.randrange(len(value) + 1), copy.deepcopy(rng.choice(value)))
    else:
        value[key] = copy.deepcopy(rng.choice(_VALUES))
