"""Check Java, Spark, Python and the required packages on this machine for `sac-kafka doctor`, without starting Spark."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.spark.installation import Installation, spark_of_home, spark_of_python, spark_to_submit
from sac_kafka.spark.versions import SPAN, numbers, too_new, too_old
from sac_kafka.transport.diagnostics.findings import Finding, Verdict

PACKAGES: Mapping[str, tuple[int, ...]] = {"confluent-kafka": (2, 13), "fastavro": (1, 9)}
"""Minimum versions, as in the metadata of the wheel."""

_TRIED = (
    # newest Spark, minimum Java of that Spark, range of tested Javas, newest tested Python
    ((3, 5), 8, (11, 17), (3, 11)),
    ((4, 2), 17, (17, 17), (3, 12)),
    ((4, 3), 17, (17, 21), (3, 13)),
)
"""Keep in sync with docs/drivers.md."""

_VERSION_LINE = re.compile(r'(?m)^(?:JAVA_VERSION=|[^\n]{0,80}version )"([\d._]{1,40})')
_JAVA_SECONDS = 5.0
_MAX_CHARACTERS = 20_000


def check_environment() -> Iterator[Finding]:
    """Yield a finding for each component."""
    spark = spark_of_python() or spark_to_submit()
    yield _java(spark)
    yield _spark(spark)
    yield python_finding(numbers(spark.version) if spark is not None else None)
    yield packages_finding()


def java_number(text: str) -> int:
    """Return the feature number of a Java version: `1.8.0_402` is 8.

    >>> java_number("1.8.0_402"), java_number("17.0.12")
    (8, 17)
    """
    first, second = numbers(text)
    return second if first == 1 else first


def java_finding(text: str, where: str, spark: tuple[int, int] | None) -> Finding:
    """Check a Java version against Spark's minimum and the tested versions."""
    number, shown = java_number(text), f"Java {text} ({where})"
    tried = next((each for each in _TRIED if spark is not None and each[0] >= spark), None)
    if tried is None:
        return Finding(Verdict.GOOD, "java", shown)
    _, least, (first, last), _ = tried
    assert spark is not None
    name = f"Spark {spark[0]}.{spark[1]}"
    if number < least:
        return Finding(Verdict.WRONG, "java", f"{shown}: {name} needs Java {least} or newer; set JAVA_HOME")
    if not first <= number <= last:
        span = str(first) if first == last else f"{first} to {last}"
        return Finding(Verdict.DOUBT, "java", f"{shown}: not tested with {name}; tested with Java {span}")
    return Finding(Verdict.GOOD, "java", shown)


def spark_finding(text: str, where: str) -> Finding:
    """Check a Spark version against the supported versions."""
    shown = f"Spark {text} ({where})"
    if too_old(text):
        return Finding(Verdict.WRONG, "spark", f"{shown} is too old: use Spark {SPAN}")
    if too_new(text):
        return Finding(Verdict.DOUBT, "spark", f"{shown} is newer than the tested versions {SPAN}")
    return Finding(Verdict.GOOD, "spark", shown)


def python_finding(spark: tuple[int, int] | None) -> Finding:
    """Check this Python interpreter against the tested versions."""
    shown = f"Python {platform.python_version()} ({sys.executable or 'embedded'})"
    tried = next((each for each in _TRIED if spark is not None and each[0] >= spark), None)
    if tried is not None and sys.version_info[:2] > tried[3]:
        newest = ".".join(map(str, tried[3]))
        return Finding(
            Verdict.DOUBT, "python", f"{shown}: not tested with this Spark; tested with Python {newest} and older"
        )
    return Finding(Verdict.GOOD, "python", shown)


def packages_finding() -> Finding:
    """Check the packages that the hook needs."""
    from sac_kafka.transport.kafka.librdkafka import library

    try:
        kafka = library()
    except ConfigurationError as error:
        return Finding(Verdict.WRONG, "packages", str(error))
    if find_spec("fastavro") is None:
        return Finding(
            Verdict.WRONG, "packages", "fastavro is not installed in this Python; install sac-kafka with pip"
        )
    for name, least in PACKAGES.items():
        if (there := numbers(_version(name))) < least:
            needed = ".".join(map(str, least))
            text = f"{name} {there[0]}.{there[1]} is too old: the hook needs {needed}; pip install '{name}>={needed}'"
            return Finding(Verdict.DOUBT, "packages", text)
    return Finding(Verdict.GOOD, "packages", f"{kafka}, fastavro {_version('fastavro')}")


def _version(name: str) -> str:
    """Return the version of a package; a package without metadata counts as new enough."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "999"


# ---- Java


def _java(spark: Installation | None) -> Finding:
    home = os.environ.get("JAVA_HOME", "").strip()
    program = Path(home, "bin", "java") if home else Path(shutil.which("java") or "java")
    where = f"JAVA_HOME = {home}" if home else str(program)
    if not program.is_file() and not program.with_suffix(".exe").is_file():
        none = (
            f"{where} has no bin/java" if home else "Java not found: JAVA_HOME is not set, and java is not on the PATH"
        )
        if spark is None:
            return Finding(Verdict.SKIPPED, "java", f"{none}; Spark not found either")
        return Finding(Verdict.WRONG, "java", f"{none}; install a Java that this Spark supports, and set JAVA_HOME")
    text = _java_version(program)
    if text is None:
        return Finding(Verdict.UNKNOWN, "java", f"{where}: unknown version; check that it starts: {program} -version")
    return java_finding(text, where, numbers(spark.version) if spark is not None else None)


def _java_version(program: Path) -> str | None:
    """Return the version from the file `release` next to `bin`, which every JDK has, else from `java -version`."""
    text = _text(program.resolve().parents[1] / "release")
    if (found := _VERSION_LINE.search(text)) is None:
        try:
            done = subprocess.run(
                [str(program), "-version"],
                capture_output=True,
                timeout=_JAVA_SECONDS,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        found = _VERSION_LINE.search(done.stderr[:_MAX_CHARACTERS].decode("utf-8", "replace"))
    return found[1] if found is not None else None


# ---- Spark


def _spark(spark: Installation | None) -> Finding:
    if spark is None:
        text = "Spark not found: no pyspark in this Python, no SPARK_HOME; run sac-kafka doctor where the driver runs"
        return Finding(Verdict.SKIPPED, "spark", text)
    finding, other = spark_finding(spark.version, spark.where), spark_of_home()
    if finding.verdict is Verdict.GOOD and other is not None and numbers(other.version) != numbers(spark.version):
        used = "the one used depends on how a job is started; keep only one"
        return Finding(Verdict.DOUBT, "spark", f"{finding.text}, but {other.where} has {other.version}: {used}")
    return finding


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_MAX_CHARACTERS)
    except OSError:
        return ""
