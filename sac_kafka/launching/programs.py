"""What a Python job is: a script, a module, a folder or archive with `__main__.py`, a wheel with an entry point.

Nothing of it runs here but what Python itself does to find a module.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from configparser import ConfigParser, Error
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from sac_kafka.errors import SacKafkaError


class WrongUseError(SacKafkaError):
    """There is no such job: says what was named, and the cure."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A Python job, as the interpreter would run it.

    `argument` is its `sys.argv[0]`, `folder` its `sys.path[0]` ("" for the working directory), `names` what its module
    `__main__` has beside what every module has. `code` reads and compiles it: what it raises is the job's. `name` is what
    Spark calls the application. `archive` is what executors need to have its modules, None where they have it.
    """

    name: str
    argument: str
    folder: str
    code: Callable[[], CodeType]
    names: Mapping[str, Any] = field(default_factory=dict)
    archive: str | None = None


def program(path: str, entry_point: str | None = None) -> Program:
    """Give the job that a path names.

    Raises:
        WrongUseError: There is none.
    """
    if not os.path.lexists(path):
        raise WrongUseError(
            f"{path}: no such file; on a cluster ship it by --files or --py-files, and give its name alone"
        )
    if entry_point is None and (Path(path).is_dir() or zipfile.is_zipfile(path)):
        absolute = os.path.abspath(path)  # noqa: PTH100 links stay
        spec = PathFinder.find_spec("__main__", [absolute])
        if spec is not None and spec.loader is not None:
            return _of_spec(spec, "__main__", argument=path, folder=absolute, archive=_archive(path))
    if path.endswith(".jar"):
        raise WrongUseError(f"{path}: which main? name its class by --class")
    if zipfile.is_zipfile(path):
        return _of_entry_point(path, *_chosen(path, entry_point))
    if entry_point is not None:
        raise WrongUseError(f"--entry-point {entry_point}: {path} is no wheel; give a wheel, or leave it out")
    if Path(path).is_dir():
        raise WrongUseError(f"{path}: has no __main__.py; name a script")
    if path.endswith(_ARCHIVES):
        raise WrongUseError(f"{path}: is no zip file, whatever its name says; build it again, or name a script")
    return _of_script(path)


_ARCHIVES = (".zip", ".whl", ".egg", ".pyz")
"""Names that no script has: Python would run the bytes of a broken archive as one, and call them a SyntaxError."""


def _archive(path: str) -> str | None:
    return None if Path(path).is_dir() else path


def _of_script(path: str) -> Program:
    absolute = os.path.abspath(path)  # noqa: PTH100 as Python does: links stay
    loader = SourceFileLoader("__main__", absolute)

    def code() -> CodeType:
        return compile(Path(absolute).read_bytes(), absolute, "exec", dont_inherit=True)

    names = {"__file__": absolute, "__loader__": loader, "__cached__": None, "__spec__": None, "__package__": None}
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120 a text
    return Program(name=Path(path).name, argument=path, folder=folder, code=code, names=names)


def module(name: str) -> Program:
    """Give the job that `-m` names.

    Raises:
        WrongUseError: There is no such module, or it is none to be run.
    """
    here = str(Path.cwd())
    with _first_on_path(here):
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.submodule_search_locations is not None:
                name = f"{name}.__main__"
                spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError) as e:
            raise WrongUseError(f"-m {name}: {type(e).__name__}: {e}") from e
    if spec is None or spec.loader is None or not hasattr(spec.loader, "get_code"):
        raise WrongUseError(f"-m {name}: no such module; is it installed in {sys.executable}?")
    return _of_spec(spec, name.removesuffix(".__main__"), argument=spec.origin or name, folder=here)


@contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    """Have a folder searched first for a while, as it is when the job runs."""
    before = list(sys.path)
    if not is_path_safe():
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path[:] = before


def is_path_safe() -> bool:
    """Whether this interpreter was told (`python -P`) to import nothing from where the job is."""
    return bool(getattr(sys.flags, "safe_path", False))


def _of_spec(spec: ModuleSpec, name: str, *, argument: str, folder: str, archive: str | None = None) -> Program:
    loader: Any = spec.loader
    names = {
        "__file__": spec.origin,
        "__loader__": loader,
        "__cached__": spec.cached,
        "__spec__": spec,
        "__package__": spec.parent,
    }
    return Program(
        name=Path(folder).name if name == "__main__" else name,
        argument=argument,
        folder=folder,
        code=lambda: loader.get_code(spec.name),
        names=names,
        archive=archive,
    )


# ---- entry points of wheels

_SCRIPT = """import sys
from {module} import {first} as _entry_point
sys.exit(_entry_point{rest}())
"""


def _of_entry_point(path: str, name: str, target: str) -> Program:
    module_name, _, attributes = target.partition("[")[0].strip().partition(":")
    first, _, rest = attributes.strip().partition(".")
    if not all(
        part.isidentifier() for part in (*module_name.strip().split("."), first, *(rest.split(".") if rest else ()))
    ):
        raise WrongUseError(f"{path}: its entry point {name} = {target} names no function")
    text = _SCRIPT.format(module=module_name.strip(), first=first, rest=f".{rest}" if rest else "")

    def code() -> CodeType:
        return compile(text, f"<entry point {name} of {Path(path).name}>", "exec", dont_inherit=True)

    names = {"__spec__": None, "__package__": None, "__loader__": None}
    return Program(name=name, argument=name, folder=os.path.abspath(path), code=code, names=names, archive=path)  # noqa: PTH100


def _chosen(path: str, name: str | None) -> tuple[str, str]:
    """The entry point of a wheel: the one that is named, else the only one, else the one called as the project."""
    found = _entry_points(path)
    project = Path(path).name.partition("-")[0].replace("_", "-").lower()
    like = [each for each in found if each.replace("_", "-").lower() == project]
    chosen = name if name is not None else next(iter(found if len(found) == 1 else like), None)
    if chosen in found and chosen is not None:
        return chosen, found[chosen]
    known = f"it has {', '.join(sorted(found))}" if found else "it has none, and no __main__.py"
    cure = (
        "name one by --entry-point" if found else "name a wheel with a console script, or a zip file with __main__.py"
    )
    raise WrongUseError(f"{path}: {f'no entry point {name}' if name else 'which entry point?'} ({known}); {cure}")


def _entry_points(path: str) -> Mapping[str, str]:
    """The console scripts of a wheel, by name."""
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # names keep their case
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".dist-info/entry_points.txt") and name.count("/") == 1:
                try:
                    parser.read_string(archive.read(name).decode("utf-8", "replace"))
                except Error:
                    return {}
    return dict(parser["console_scripts"]) if parser.has_section("console_scripts") else {}
