"""What a page may ask for: agents of the table with harmless options, and files of models of the studio only.

An agent spec can name a class of any module, a file that runs a program when it is read, or a program. A page says
``model:NAME`` for a model and ``deals:NAME`` for a file of deals in the folder ``deals`` beside the models, and
everything else is looked at: each option that names a file must name one of these; an option that is free text, of
which nobody knows what it does, is not taken at all. What holds for one text holds for each in a list or a table.
"""

import pathlib
import re
from collections.abc import Mapping
from typing import Any

from stammtisch.baselines import AGENTS, agent_class
from stammtisch.envs.core.options import Option, OptionTable, read_pairs, split_pairs
from stammtisch.envs.core.specs import is_place, split_spec
from stammtisch.errors import unknown
from stammtisch.studio.models import PREFIX, Models

_LONGEST_SPEC = 500
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_SAFE_SUFFIXES = (".npz", ".safetensors", ".json")
_DEALS = "deals:"
_PROGRAMS = ("engine",)  # agents that start programs of others


def _free_text(option: Option, value: Any) -> str:
    """Return a text that could be a path: neither a choice nor a plain word nor, with line breaks, a text itself."""
    if isinstance(value, list | tuple):
        return next(filter(None, (_free_text(option, item) for item in value)), "")
    if isinstance(value, dict):
        return _free_text(option, [*value, *value.values()])
    free = isinstance(value, str) and not option.choices and not (_WORD.fullmatch(value) or "\n" in value)
    return str(value) if free else ""


class Trust:
    """Checks what comes from a page.

    Args:
        models: the models that may be named.
        trusted: take every agent spec as the command line does; whoever starts the studio may say so.
    """

    def __init__(self, models: Models, trusted: bool = False):
        self.models, self.trusted = models, trusted

    def agents(self) -> list[str]:
        """Return the agents of the table that a page may name."""
        return [name for name in AGENTS if self.trusted or name not in _PROGRAMS]

    def spec(self, text: Any) -> str:
        """Return the agent spec that a page means.

        Raises:
            ValueError: there is no such agent or model, or it is not allowed; one line says why.
        """
        if not isinstance(text, str) or not text or len(text) > _LONGEST_SPEC:
            raise ValueError('an agent is a text such as "heuristic", "mcts:iterations=500" or "model:NAME"')
        if text.startswith(PREFIX):
            return self._model_spec(text)
        if self.trusted:
            return text
        name, rest = split_spec(text)
        if is_place(name):
            raise ValueError(f'agent "{text[:80]}" names a class; start the studio with --trust to allow that')
        if name not in AGENTS:
            raise unknown("agent", name, AGENTS)
        if name not in self.agents():
            raise ValueError(f'agent "{name}" starts programs of others; start the studio with --trust to allow that')
        cls = agent_class(name)
        pairs = split_pairs(rest)
        values = read_pairs(cls.OPTIONS, pairs, owner=f"agent {name}", main=cls.MAIN_OPTION)
        for key, value in values.items():
            self._check_option(f"agent {name}", key, cls.OPTIONS[key], value)
        return text

    def settings(self, table: OptionTable, values: Mapping[str, Any], owner: str) -> dict[str, Any]:
        """Return settings that a page gave, with models as files and agents as specs.

        Args:
            table: what can be set.
            values: what was given, not yet read by the table.
            owner: whose settings they are, in messages.

        Raises:
            ValueError: something is not allowed.
        """
        found = dict(values)
        for key, value in values.items():
            if key not in table or (self.trusted and not table[key].names):
                continue
            if table[key].names == "agent":
                found[key] = self._agents(value)
            elif table[key].names == "file":
                found[key] = self._file(owner, key, value)
            elif table[key].names == "folder" and value and not (isinstance(value, str) and _WORD.fullmatch(value)):
                raise ValueError(f'{key}="{str(value)[:60]}" for {owner}: give the name of a folder, not a path')
            elif not table[key].names and (free := _free_text(table[key], value)):
                raise ValueError(f'{key}="{free[:60]}" for {owner} is not taken from a page; give a plain name')
        return found

    def _model_spec(self, text: str) -> str:
        name, _, rest = text.removeprefix(PREFIX).partition(",")
        model = self.models.named(name)
        if not model.is_playable:
            raise ValueError(f'model "{name}" cannot play yet; wait for the first checkpoint of its training')
        if not rest:
            return model.spec
        cls = agent_class(split_spec(model.spec)[0])
        for key, value in read_pairs(cls.OPTIONS, split_pairs(rest), owner=f"model {name}").items():
            self._check_option(f"model {name}", key, cls.OPTIONS[key], value)
        return f"{model.spec},{rest}"

    def _agents(self, value: Any) -> Any:
        """Return agents in a text, a list or the keys of a table; learners have words of their own among them."""
        if isinstance(value, str):
            return value if _WORD.fullmatch(value) or not value else self.spec(value)
        if isinstance(value, list):
            return [self._agents(item) for item in value]
        if isinstance(value, dict):
            return {self._agents(key): item for key, item in value.items()}
        return value

    def deals(self) -> list[str]:
        """Return the names of files of deals that a page can name."""
        return sorted(path.stem for path in self._deals.glob("*.npz") if _WORD.fullmatch(path.stem))

    @property
    def _deals(self) -> pathlib.Path:
        return self.models.folder.parent / "deals"

    def _deals_file(self, name: str) -> str:
        path = self._deals / f"{name}.npz"
        if not _WORD.fullmatch(name) or not path.resolve().is_relative_to(self._deals.resolve()) or not path.is_file():
            raise unknown("file of deals", name[:40], self.deals())
        return str(path)

    def _file(self, owner: str, key: str, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [self._file(owner, key, item) for item in value]
        if not isinstance(value, str) or not value:
            return value
        if value.startswith(_DEALS):
            return self._deals_file(value.removeprefix(_DEALS))
        if value.startswith(PREFIX):
            model = self.models.named(value.removeprefix(PREFIX))
            return str(model.out)
        if self.trusted or _WORD.fullmatch(value) or value.startswith("[["):
            return value
        raise ValueError(
            f'{key}="{value[:60]}" for {owner} is a path; a page names a model, as model:NAME, or deals, as deals:NAME'
        )

    def _check_option(self, owner: str, key: str, option: Option, value: Any) -> None:
        if option.names == "file":
            for part in str(value).split("+") if value else []:
                path = pathlib.Path(part).resolve()
                if not path.is_relative_to(self.models.folder) or path.suffix not in _SAFE_SUFFIXES:
                    raise ValueError(f'{owner}: "{part[:80]}" is no file of a model; write model:NAME')
        elif key == "trust" and value:
            raise ValueError(f"{owner}: trust=1 runs programs of strangers; start the studio with --trust to allow it")
        elif isinstance(value, str) and not option.choices:
            raise ValueError(f"{owner}: option {key} is not taken from a page; start the studio with --trust")
