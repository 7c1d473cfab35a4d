"""Provides the jars of a pinned list in the user's cache: fetched once, every sha256 checked, whole or not at all.

Called by `stack.kafka` and by `python -m stack fetch`. Two processes that need the jars at once do not disturb each
other: one fetches, the other waits for it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stack.errors import FetchError, StackError
from stack.files import locked
from stack.jar_list import Jar, parse_list, problems
from stack.maven import WAYS, Way

KAFKA = "kafka-4.3.1"
GIVEN_FOLDER = "SAC_KAFKA_STACK_JARS"
LOCK_TIMEOUT_SECONDS = 1200


@dataclass(frozen=True, slots=True)
class JarFolder:
    """A folder in which all jars of a list have been checked, and how they came there."""

    folder: Path
    jars: tuple[Jar, ...]
    way: str

    @property
    def class_path(self) -> str:
        """The listed jars by name: a stray jar in the folder is not loaded."""
        return os.pathsep.join(str(self.folder / jar.file_name) for jar in self.jars)


def provide(name: str = KAFKA, ways: Mapping[str, Way] = WAYS) -> JarFolder:
    """Return the checked jars of a list, fetching what is missing.

    Raises:
        StackError: They cannot be had; the message names what failed in each way and the fix.
    """
    jars = read_list(name)
    if given := os.environ.get(GIVEN_FOLDER):
        return _given(jars, Path(given))
    return fetch(jars, cache_folder(name), ways)


def read_list(name: str) -> tuple[Jar, ...]:
    """Read the list of that name in this folder."""
    return parse_list(list_file(name).read_text(), str(list_file(name)))


def list_file(name: str) -> Path:
    """Return the place of a list."""
    return Path(__file__).parent / "jars" / f"{name}.txt"


def cache_folder(name: str) -> Path:
    """Return where the jars of a list are kept for this user."""
    cache = os.environ.get("XDG_CACHE_HOME")
    root = Path(cache) if cache and Path(cache).is_absolute() else Path.home() / ".cache"
    return root / "sac-kafka" / name


def fetch(jars: tuple[Jar, ...], folder: Path, ways: Mapping[str, Way]) -> JarFolder:
    """Bring what is missing or damaged into the folder, by the first way that delivers all of it as pinned."""
    if not problems(jars, folder):
        return JarFolder(folder, jars, "present")
    with locked(folder.with_name(f"{folder.name}.lock"), LOCK_TIMEOUT_SECONDS):
        missing = [jar for jar in jars if jar.problem(folder)]  # looked at again: another process may just have fetched
        if not missing:
            return JarFolder(folder, jars, "present")
        failures = []
        for name, way in ways.items():
            failure = _fetch_by(way, missing, folder)
            if failure is None:
                return JarFolder(folder, jars, name)
            failures.append(f"  {name}: {failure}")
    raise StackError(
        f"{len(missing)} jar(s) could not be fetched into {folder}:\n" + "\n".join(failures) + "\n"
        "Fix: set MAVEN_REPOSITORY_URL to a Maven repository that this machine reaches, or install mvn, or copy the "
        f"jars of {Path(__file__).parent / 'jars'} from elsewhere into a folder and name it in {GIVEN_FOLDER}."
    )


def _fetch_by(way: Way, missing: Sequence[Jar], folder: Path) -> str | None:
    """Fetch into another folder, check, then move: a jar in the folder is always whole. Return why it failed."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent, ignore_cleanup_errors=True) as place:
        fetched = Path(place)
        try:
            way(missing, fetched)
        except FetchError as failure:
            return str(failure)
        wrong = problems(missing, fetched)
        if wrong:
            return "refused: " + "; ".join(wrong[:3]) + (" …" if len(wrong) > 3 else "")
        for jar in missing:
            shutil.move(fetched / jar.file_name, folder / jar.file_name)
    return None


def _given(jars: tuple[Jar, ...], folder: Path) -> JarFolder:
    wrong = problems(jars, folder)
    if wrong:
        raise StackError(
            f"{GIVEN_FOLDER}={folder} does not hold the {len(jars)} pinned jars:\n  "
            + "\n  ".join(wrong)
            + f"\nUnset {GIVEN_FOLDER} to have them fetched."
        )
    return JarFolder(folder.resolve(), jars, GIVEN_FOLDER)
