"""Interpreters for the smoke set: each a virtual environment next to the one that runs the tests, made once.

What has to fit an interpreter (the Kafka client, Avro) is installed by pip. PySpark and Py4J are Python alone: they are
links into the environments that are there, so that no Spark is fetched a second time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

from stack.files import locked

TIMEOUT_SECONDS = 300
_BESIDE = Path(sys.prefix).parent
_NEEDED = ("confluent-kafka>=2.13,<3", "fastavro>=1.9,<2")


class MissingError(Exception):
    """A part of such an environment is not on this machine; the message names it."""


def environment_of(spark: str, python: str) -> Path:
    """Return the interpreter of an environment with this Spark and this Python. Raises MissingError."""
    linked = _links(spark)
    home = _BESIDE / f"smoke-{spark}-{python}"
    program = home / "bin" / "python"
    with locked(home.with_name(f"{home.name}.lock"), TIMEOUT_SECONDS):
        if not (home / "done").exists():
            _run(_interpreter(python), "-m", "venv", "--clear", "--without-pip", str(home))
            _run(sys.executable, "-m", "pip", "--python", str(program), "install", "-q", *_NEEDED)
            for site in home.glob("lib/python*/site-packages"):
                for target in linked:
                    (site / target.name).symlink_to(target)
            (home / "done").touch()
    return program


def _links(spark: str) -> list[Path]:
    found = [*(_BESIDE / f"venv-{spark}").glob("lib/python*/site-packages/pyspark")]
    if not found:
        raise MissingError(f"there is no Spark {spark} in {_BESIDE}: make venv SPARK={spark}")
    return [found[0], found[0].with_name("py4j")]


def _interpreter(python: str) -> str:
    """Return a program of this very version that can make environments."""
    for program in _candidates(python):
        code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
        if (done.returncode, done.stdout.strip()) == (0, python):
            return program
    raise MissingError(f"there is no Python {python} on this machine")


def _candidates(python: str) -> Iterator[str]:
    name = f"python{python}"
    if found := which(name):
        yield found
    for folder, pattern in (
        (Path.home() / ".pyenv" / "versions", "{}.*/bin"),
        (Path("/opt/hostedtoolcache/Python"), "{}.*/*/bin"),
    ):
        yield from (str(each / name) for each in sorted(folder.glob(pattern.format(python))) if (each / name).exists())


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
