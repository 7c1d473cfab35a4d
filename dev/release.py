"""Try a release without publishing it: `make release-check`, into build/release.

1. Build the sdist, and the wheel from it, twice, in two copies of the commit: equal to the byte.
2. Validate the metadata by the specification (`packaging.metadata`).
3. List what is in both, and compare it with CONTENTS: folders, endings, and their sizes.
4. Install the wheel in an empty virtual environment, and run `sac-kafka --version` there.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from email.parser import BytesParser
from pathlib import Path

from packaging.metadata import Metadata

ROOT = Path(__file__).resolve().parents[1]
RELEASE = ROOT / "build" / "release"
CONTENTS: Mapping[str, int] = {
    "py": 4_500_000,
    "java": 500_000,
    "jar": 600_000,
    "json": 350_000,
    "js": 130_000,
    "css": 25_000,
    "html": 10_000,
    "properties": 10_000,
    "pth": 200,
    "typed": 0,
}
"""The endings of the files of the package with the most bytes of each: a folder of tests or of builds exceeds them."""
_MODULES = {"sac_kafka_auto.py", "sac_kafka_auto.pth"}
_INFO = re.compile(r"sac_kafka-[\w.+]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/LICENSE)")


class ReleaseError(Exception):
    """A fault of the release, with its file."""


def main() -> int:
    """Run the steps; print what they have found, and the first error."""
    shutil.rmtree(RELEASE, ignore_errors=True)
    try:
        wheel, sdist = _build_twice()
        version = check_metadata(wheel)
        sys.stdout.writelines(f"{line}\n" for line in check_wheel(wheel))
        check_sdist(sdist)
        _check_installed(wheel, version)
    except ReleaseError as error:
        sys.stderr.write(f"release-check: {error}\n")
        return 1
    for path in (wheel, sdist):
        sys.stdout.write(f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    sys.stdout.write(f"{version} can be released: tag the commit and upload {wheel.parent.relative_to(ROOT)}\n")
    return 0


def _build_twice() -> tuple[Path, Path]:
    """Return wheel and sdist of the first build.

    Raises:
        ReleaseError: A build fails, or the second one differs.
    """
    time = _run("git", "log", "-1", "--format=%ct").strip()
    for number in ("1", "2"):
        copy = RELEASE / f"checkout-{number}"
        copy.mkdir(parents=True)
        archive = RELEASE / "commit.tar"
        _run("git", "archive", "--output", str(archive), "HEAD")
        with tarfile.open(archive) as tar:
            tar.extractall(copy, filter="data")
        _run(
            *(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(RELEASE / number), str(copy)),
            env={**os.environ, "SOURCE_DATE_EPOCH": time},
        )
        shutil.rmtree(copy)
    first, second = (sorted((RELEASE / number).iterdir()) for number in ("1", "2"))
    if [path.name for path in first] != [path.name for path in second]:
        raise ReleaseError(f"two builds have other files: {first}, {second}")
    for one, other in zip(first, second, strict=True):
        if one.read_bytes() != other.read_bytes():
            raise ReleaseError(f"{one} differs from {other}: compare them by diffoscope")
    (wheel,), (sdist,) = ([path for path in first if path.suffix == suffix] for suffix in (".whl", ".gz"))
    return wheel, sdist


def check_metadata(wheel: Path) -> str:
    """Return the version in the metadata of a wheel.

    Raises:
        ReleaseError: The metadata is invalid, or lacks what an index shows.
    """
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        data = archive.read(name)
    try:
        metadata = Metadata.from_email(data, validate=True)
    except Exception as error:  # an ExceptionGroup, which Python 3.10 lacks
        raise ReleaseError(f"{name}: {'; '.join(map(str, getattr(error, 'exceptions', (error,))))}") from error
    if not BytesParser().parsebytes(data).get_payload():
        raise ReleaseError(f"{name}: no description; README.md is to be it")
    if metadata.license_expression != "Apache-2.0" or not metadata.license_files:
        raise ReleaseError(f"{name}: the licence is {metadata.license_expression}, of {metadata.license_files}")
    return str(metadata.version)


def check_wheel(wheel: Path) -> Iterator[str]:
    """Yield the number and size of a wheel's files by their ending.

    Raises:
        ReleaseError: A file is not one of the package, or the files of an ending are too large.
    """
    numbers, sizes = Counter[str](), Counter[str]()
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if _INFO.fullmatch(entry.filename):
                continue
            ending = entry.filename.rpartition(".")[2]
            if ending not in CONTENTS or not (entry.filename.startswith("sac_kafka/") or entry.filename in _MODULES):
                raise ReleaseError(
                    f"{wheel.name}: {entry.filename} does not belong there; see CONTENTS in dev/release.py"
                )
            numbers[ending] += 1
            sizes[ending] += entry.file_size
    for ending, size in sizes.items():
        yield f"{numbers[ending]:>5} files .{ending:<10} {size:>10,} bytes of at most {CONTENTS[ending]:,}"
        if size > CONTENTS[ending]:
            raise ReleaseError(f"{wheel.name}: {size:,} bytes of .{ending} are more than {CONTENTS[ending]:,}")


def check_sdist(sdist: Path) -> None:
    """Check that an sdist has what the tests need, and nothing that was built.

    Raises:
        ReleaseError: A file is missing, or one is too many.
    """
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    missing = {"pyproject.toml", "README.md", "LICENSE", "Makefile", "tests/conftest.py", "sac_kafka/py.typed"} - names
    built = [name for name in names if name.startswith(("build/", "dist/")) or name.endswith(".pyc")]
    if missing or built:
        raise ReleaseError(f"{sdist.name}: missing {sorted(missing)}, built {sorted(built)[:3]}")


def _check_installed(wheel: Path, version: str) -> None:
    environment, folder = RELEASE / "venv", RELEASE / "elsewhere"
    folder.mkdir()
    _run(sys.executable, "-m", "venv", str(environment))
    _run(str(environment / "bin" / "pip"), "install", "--quiet", str(wheel))
    clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    answer = _run(str(environment / "bin" / "sac-kafka"), "--version", env=clean, cwd=folder).strip()
    if version not in answer:
        raise ReleaseError(f"sac-kafka --version prints {answer!r}, the metadata has {version}")


def _run(*command: str, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=cwd)
    if ran.returncode:
        raise ReleaseError(f"{' '.join(command)}: {(ran.stderr or ran.stdout).strip()[-2000:]}")
    return ran.stdout


if __name__ == "__main__":
    sys.exit(main())
