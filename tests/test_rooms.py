"""The rooms of the package: imports point one way, and never round in a circle."""

import ast
import importlib
import pathlib
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).parents[1] / "stammtisch"

# Each room may import itself and what stands before it; a name covers everything below it, the longest one counts.
# Rooms on one line are neighbours that do not know each other.
ORDER = (
    ("json_text", "text", "version"),
    ("errors",),
    ("files", "origins"),
    ("plots", "video"),
    ("envs.core",),
    ("models", "envs.jass.family"),
    (
        "envs",  # the table of games; the faces
        "envs.einstein",
        "envs.muehle",
        "envs.reversi",
        "envs.reversixt",
        "envs.jass.coiffeur",
        "envs.jass.schieber",
        "envs.jass.solo",
    ),
    ("envs.jass",),
    ("testing",),
    ("wrappers",),
    ("baselines",),
    ("arena",),
    ("training",),
    ("benchmarks",),
    ("challenge",),
    ("studio",),
    ("cli",),
    ("",),  # the package itself
)
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}


def modules() -> dict[str, pathlib.Path]:
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


MODULES = modules()


def room(module: str) -> str:
    """Return the longest room that a module lies in."""
    name = module.partition(".")[2].replace("envs.kernels", "envs.core")  # they know each other
    while name and name not in RANK:
        name = name.rpartition(".")[0]
    assert name or module == ROOT.name, f"{module} lies in no room; add it to ORDER"
    return name


def imported(module: str) -> Iterator[tuple[str, bool]]:
    """Yield what a module imports or names as a source for the loader, and whether this runs with its own import."""
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text("utf-8"))
    unseen = {id(part) for node in ast.walk(tree) if _is_for_types(node) for part in ast.walk(node)}
    top = {id(part) for node in tree.body if not _is_function(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package.split(".")[: 1 - node.level or None], node.module or ""]) if node.level else ""
            base = base or str(node.module)
            names = [full if (full := f"{base}.{alias.name}") in MODULES else base for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            names = [node.value]
        for name in names:
            if name in MODULES and name != module:
                yield name, id(node) in top and not isinstance(node, ast.Constant)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def allowed(source: str, target: str) -> bool:
    """Tell whether one room may import another."""
    return source == target or RANK[target] < RANK[source]


def test_imports_point_one_way():
    wrong = {
        f"{module} imports {name}"
        for module in MODULES
        for name, _ in imported(module)
        if not allowed(room(module), room(name))
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_no_module_imports_itself_in_a_circle():
    edges = {module: sorted({name for name, at_once in imported(module) if at_once}) for module in MODULES}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join([*way[way.index(module) :], module])
        if module not in done:
            for name in edges[module]:
                visit(name, (*way, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


def test_every_room_is_there():
    for name in RANK:
        assert f"stammtisch.{name}".rstrip(".") in MODULES


def test_one_name_means_one_class():
    places: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(module)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("stammtisch", ["Agent", "Game", "aec_env", "load_agent", "load_game", "register_game"]),
        ("stammtisch.testing", ["check_game"]),
        ("stammtisch.envs", ["GAMES", "load_game"]),
        ("stammtisch.baselines", ["AGENTS", "load_agent"]),
        ("stammtisch.benchmarks", ["MatchResult", "play_match"]),
        ("stammtisch.wrappers", ["MillRewards", "SeatRotation", "VectorRewardShaping"]),
        ("stammtisch.wrappers.sb3_vec_env", ["SB3VecEnv"]),
    ],
)
def test_import_paths_that_the_manual_has_shown_go_on_working(module, names):
    for name in names:
        assert hasattr(importlib.import_module(module), name)
