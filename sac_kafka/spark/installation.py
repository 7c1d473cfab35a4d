"""Find the Spark that is installed on this machine, without importing or starting it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

_CORE = re.compile(r"spark-core_(2\.\d+)-(\d.{0,60})\.jar")
_PYSPARK_VERSION = re.compile(r"""(?m)^__version__[^=\n]*=\s*['"](\d+(?:\.\d+)*)""")
_MAX_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Installation:
    """A Spark: its version, the binary version of Scala (None without jars), its folder, and how it was found."""

    version: str
    scala: str | None
    home: Path
    where: str


def spark_of_python() -> Installation | None:
    """Return the package `pyspark` of this Python."""
    spec = find_spec("pyspark")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        home = Path(folder)
        if (found := _PYSPARK_VERSION.search(_text(home / "version.py"))) is not None:
            core = _core(home)
            return Installation(found[1], core and core[1], home, f"pyspark in {folder}")
    return None


def spark_of_home() -> Installation | None:
    """Return the Spark in SPARK_HOME."""
    home = os.environ.get("SPARK_HOME", "").strip()
    return _in_folder(Path(home), f"SPARK_HOME = {home}") if home else None


def spark_to_submit() -> Installation | None:
    """Return the Spark that spark-submit uses here: of SPARK_HOME, of this Python, or next to the spark-submit of the PATH."""
    return next(filter(None, _to_submit()), None)


def _to_submit() -> Iterator[Installation | None]:
    yield spark_of_home()
    yield spark_of_python()
    program = shutil.which("spark-submit")
    yield None if program is None else _in_folder(Path(program).resolve().parents[1], program)


def _in_folder(home: Path, where: str) -> Installation | None:
    core = _core(home)
    return None if core is None else Installation(core[2], core[1], home, where)


def _core(home: Path) -> re.Match[str] | None:
    """Return the name of the jar of Spark's core, with the versions of Scala and Spark."""
    names = sorted(each.name for each in Path(home, "jars").glob("spark-core_2.*.jar"))
    return next(filter(None, map(_CORE.fullmatch, names)), None)


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_MAX_CHARACTERS)
    except OSError:
        return ""
