"""Find the code of a Python job: a script, a module, a folder or archive with `__main__.py`, a wheel with an entry point.

No code of the job runs here, except the packages that Python imports to find a module.
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

_ARCHIVES = (".zip", ".whl", ".egg", ".pyz")
"""Suffixes of archives. A broken archive is reported; Python would run it as a script and raise a SyntaxError."""
_SCRIPT = """import sys
from {module} import {first} as _entry_point
sys.exit(_entry_point{rest}())
"""


class WrongUseError(SacKafkaError):
    """Raised if a job does not exist or cannot be run; the message states the path or name and the fix."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A Python job, as the interpreter would run it.

    `argument` is its `sys.argv[0]`, `folder` its `sys.path[0]` ("" for the working directory), `names` the additional
    globals of its module `__main__`. `code` reads and compiles it; errors raised by it are errors of the job. `name` is the
    application name. `archive` is the file with its modules that must be shipped to executors, or None.
    """

    name: str
    argument: str
    folder: str
    code: Callable[[], CodeType]
    names: Mapping[str, Any] = field(default_factory=dict)
    archive: str | None = None


def program(path: str, entry_point: str | None = None) -> Program:
    """Return the job at a path.

    `entry_point` is the console script of a wheel; None for the only one, or the one named like the project.

    Raises:
        WrongUseError: The path does not exist or cannot be run.
    """
    if not os.path.lexists(path):
        raise WrongUseError(
            f"{path}: no such file; on a cluster ship it with --files or --py-files and pass only its name"
        )
    if entry_point is None and (Path(path).is_dir() or zipfile.is_zipfile(path)):
        absolute = os.path.abspath(path)  # noqa: PTH100 does not resolve links
        spec = PathFinder.find_spec("__main__", [absolute])
        if spec is not None and spec.loader is not None:
            archive = None if Path(path).is_dir() else path
            return _from_spec(spec, "__main__", argument=path, folder=absolute, archive=archive)
    if path.endswith(".jar"):
        raise WrongUseError(f"{path}: main class missing; specify it with --class")
    if zipfile.is_zipfile(path):
        return _from_entry_point(path, *_select_entry_point(path, entry_point))
    if entry_point is not None:
        raise WrongUseError(f"--entry-point {entry_point}: {path} is not a wheel; pass a wheel, or remove the option")
    if Path(path).is_dir():
        raise WrongUseError(f"{path}: has no __main__.py; pass a script")
    if path.endswith(_ARCHIVES):
        raise WrongUseError(f"{path}: is not a valid zip file; build it again, or pass a script")
    return _from_script(path)


def _from_script(path: str) -> Program:
    absolute = os.path.abspath(path)  # noqa: PTH100 like Python, which does not resolve links here
    loader = SourceFileLoader("__main__", absolute)

    def code() -> CodeType:
        return compile(Path(absolute).read_bytes(), absolute, "exec", dont_inherit=True)

    names = {"__file__": absolute, "__loader__": loader, "__cached__": None, "__spec__": None, "__package__": None}
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120 sys.path holds strings
    return Program(name=Path(path).name, argument=path, folder=folder, code=code, names=names)


def module(name: str) -> Program:
    """Return the job of `-m`.

    Raises:
        WrongUseError: The module does not exist or cannot be run.
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
    return _from_spec(spec, name.removesuffix(".__main__"), argument=spec.origin or name, folder=here)


@contextmanager
def _first_on_path(folder: str) -> Iterator[None]:
    """Put a folder first on `sys.path`, like when the job runs."""
    before = list(sys.path)
    if not is_path_safe():
        sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path[:] = before


def is_path_safe() -> bool:
    """Return whether the interpreter runs in safe path mode (`python -P`): it does not import from the job's folder."""
    return bool(getattr(sys.flags, "safe_path", False))


def _from_spec(spec: ModuleSpec, name: str, *, argument: str, folder: str, archive: str | None = None) -> Program:
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


def _from_entry_point(path: str, name: str, target: str) -> Program:
    module_name, _, attributes = target.partition("[")[0].strip().partition(":")
    first, _, rest = attributes.strip().partition(".")
    if not all(
        part.isidentifier() for part in (*module_name.strip().split("."), first, *(rest.split(".") if rest else ()))
    ):
        raise WrongUseError(f"{path}: the entry point {name} = {target} is not a function")
    text = _SCRIPT.format(module=module_name.strip(), first=first, rest=f".{rest}" if rest else "")

    def code() -> CodeType:
        return compile(text, f"<entry point {name} of {Path(path).name}>", "exec", dont_inherit=True)

    names = {"__spec__": None, "__package__": None, "__loader__": None}
    return Program(name=name, argument=name, folder=os.path.abspath(path), code=code, names=names, archive=path)  # noqa: PTH100


def _select_entry_point(path: str, name: str | None) -> tuple[str, str]:
    """Return the named entry point of a wheel, else the only one, else the one named like the project."""
    found = _entry_points(path)
    project = Path(path).name.partition("-")[0].replace("_", "-").lower()
    like_project = [each for each in found if each.replace("_", "-").lower() == project]
    selected = name if name is not None else next(iter(found if len(found) == 1 else like_project), None)
    if selected in found and selected is not None:
        return selected, found[selected]
    known = f"it has {', '.join(sorted(found))}" if found else "it has none, and no __main__.py"
    fix = (
        "select one with --entry-point"
        if found
        else "pass a wheel with a console script, or a zip file with __main__.py"
    )
    problem = f"no entry point {name}" if name else "entry point not specified"
    raise WrongUseError(f"{path}: {problem} ({known}); {fix}")


def _entry_points(path: str) -> Mapping[str, str]:
    """Return the console scripts of a wheel by name."""
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[method-assign,assignment]  # preserve the case of names
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".dist-info/entry_points.txt") and name.count("/") == 1:
                try:
                    parser.read_string(archive.read(name).decode("utf-8", "replace"))
                except Error:
                    return {}
    return dict(parser["console_scripts"]) if parser.has_section("console_scripts") else {}
