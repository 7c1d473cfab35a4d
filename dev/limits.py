"""Check the limits of .ci/limits.toml: lines, files, what `attach` loads, words, and the size of classes and imports.

`python -m dev.limits` prints each violation with its file and rule; `--update` writes today's figures into the file
and lowers its ceilings.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
LIMITS = ROOT / ".ci" / "limits.toml"
_FIX = "split it, or raise the limit in .ci/limits.toml and state why in the commit"
_PACKAGE = "sac_kafka"
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")
_SMALL = 40
_ATTACH = """
import os, sys, tempfile
from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.hook import Hook
from sac_kafka.hook.session_settings import read_settings
from tests.helpers.fake_driver import FakeDriver

loaded = lambda: {name for name in sys.modules if name.partition(".")[0] == "sac_kafka"}
driver, folder = FakeDriver(), tempfile.mkdtemp()
os.chdir(folder)  # no configuration file
keys = {"kafka.bootstrap.servers": "127.0.0.1:9", "metadata.namespace": "test", "hook.spool.dir": folder}
assemble(driver, read_settings(driver, {f"atlas.{key}": text for key, text in keys.items()}), Guard())
print(*(sys.modules[name].__file__ for name in loaded()), sep="\\n", flush=True)
os._exit(0)  # the listener is not polled, so nothing ends the hook
"""

Size = tuple[str, str, int]
"""A rule, a place and its figure."""
Sizes = Iterator[tuple[str, int]]
"""Places (a file, or a file and the name in it) with their figures."""


def _files() -> list[Path]:
    return sorted((ROOT / _PACKAGE).rglob("*.py"))


def _lines(file: Path) -> int:
    return len(file.read_text("utf-8").splitlines())


def _attach_lines() -> int:
    ran = subprocess.run([sys.executable, "-c", _ATTACH], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"attaching failed: {ran.stderr}")
    return sum(_lines(Path(file)) for file in ran.stdout.split("\n") if file.endswith(".py"))


def _words() -> int:
    pages = [*(ROOT / each for each in _PAGES), *(ROOT / "docs").rglob("*.md")]
    return sum(len(page.read_text("utf-8").split()) for page in pages)


def _contracts() -> int:
    return len(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"])


FIGURES: Mapping[str, Callable[[], int]] = {
    "python-lines": lambda: sum(map(_lines, _files())),
    "python-files": lambda: len(_files()),
    "small-files": lambda: sum(file.name != "__init__.py" and _lines(file) < _SMALL for file in _files()),
    "attach-lines": _attach_lines,
    "docs-words": _words,
    "contracts": _contracts,
}


def imports(tree: ast.Module) -> Sizes:
    """Yield the number of the package's modules that a module imports, on first use or for types, too."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
    yield "", sum(name.partition(".")[0] == _PACKAGE for name in found)


def attributes(tree: ast.Module) -> Sizes:
    """Yield each class that changes with its number of attributes: those set on `self`, and the fields of a dataclass."""
    for node, is_frozen in _classes(tree):
        if not is_frozen:
            yield node.name, len({*_stored(node), *_fields(node)})


def fields(tree: ast.Module) -> Sizes:
    """Yield each frozen dataclass, and each class that only declares fields, with their number."""
    for node, is_frozen in _classes(tree):
        if is_frozen:
            yield node.name, len(_fields(node))


def _classes(tree: ast.Module) -> Iterator[tuple[ast.ClassDef, bool]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            decorators = " ".join(map(ast.unparse, node.decorator_list))
            is_typed = any(ast.unparse(base) in ("NamedTuple", "TypedDict") for base in node.bases)
            yield node, is_typed or "frozen=True" in decorators or "spark_class" in decorators


def _fields(node: ast.ClassDef) -> set[str]:
    annotated = (each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name))
    return {ast.unparse(each.target) for each in annotated if "ClassVar" not in ast.unparse(each.annotation)}


def _stored(node: ast.ClassDef) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


SIZES: Mapping[str, Callable[[ast.Module], Sizes]] = {
    "imports": imports,
    "attributes": attributes,
    "fields": fields,
}


def _sizes() -> Iterator[Size]:
    """Yield rule, place and figure of every module, class and function."""
    for file in _files():
        tree = ast.parse(file.read_text("utf-8"))
        for rule, sizes in SIZES.items():
            for name, size in sizes(tree):
                yield rule, f"{file.relative_to(ROOT).as_posix()} {name}".rstrip(), size


def violations(limits: Mapping[str, Any], figures: Mapping[str, int], sizes: Iterable[Size]) -> Iterator[str]:
    """Yield a line for each figure above its limit."""
    for rule, figure in figures.items():
        if figure > limits[rule]["limit"]:
            yield f"{rule}: {figure} are more than the limit of {limits[rule]['limit']}; {_FIX}"
    for rule, place, size in sizes:
        limit = limits[rule].get("above", {}).get(place, limits[rule]["limit"])
        if size > limit:
            yield f"{place}: {size} {rule} are more than the limit of {limit}; {_FIX}"


def updated(text: str, figures: Mapping[str, int], sizes: Iterable[Size]) -> str:
    """Return the text of the limits with today's figures; ceilings are lowered, and removed where the limit is kept."""
    limits = tomllib.loads(text)
    for rule, figure in figures.items():
        text = re.sub(rf"(\[{rule}\][^\[]*?\ntoday = )\d+", rf"\g<1>{figure}", text)
    today = {(rule, place): size for rule, place, size in sizes}
    for rule in SIZES:
        for place, ceiling in limits[rule].get("above", {}).items():
            size = today.get((rule, place), 0)
            line = f'"{place}" = {min(size, ceiling)}\n' if size > limits[rule]["limit"] else ""
            text = text.replace(f'"{place}" = {ceiling}\n', line)
    return text


def main() -> int:
    """Print the violations; return 1 if there are any."""
    text, sizes = LIMITS.read_text("utf-8"), [*_sizes()]
    figures = {rule: figure() for rule, figure in FIGURES.items()}
    if sys.argv[1:] == ["--update"]:
        text = updated(text, figures, sizes)
        LIMITS.write_text(text, "utf-8")
    found = [*violations(tomllib.loads(text), figures, sizes)]
    sys.stderr.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
