"""Compiles the test catalog against the jars of the Spark that is installed, once for each state of its sources."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from stack.errors import StackError
from stack.files import locked
from stack.java import find_java

ROOT = Path(__file__).resolve().parents[2]
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.java")))
COMPILED = ROOT / "build" / "catalog"
CLASS = "sackafka.testing.MemoryCatalog"
TIMEOUT_SECONDS = 120


def compiled() -> Path:
    """The folder of the classes.

    Raises:
        StackError: there is no compiler, or it does not take the sources.
    """
    import pyspark

    digest = hashlib.sha256(b"".join(file.read_bytes() for file in SOURCES)).hexdigest()[:16]
    folder = COMPILED / f"{pyspark.__version__}-{digest}"
    with locked(COMPILED / "lock", TIMEOUT_SECONDS):
        if (folder / "done").exists():
            return folder
        java = find_java().path
        jars = os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))
        command = [str(java), "-m", "jdk.compiler/com.sun.tools.javac.Main", "--release", "17", "-d", str(folder)]
        done = subprocess.run(
            [*command, "-cp", jars, *map(str, SOURCES)],
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode:
            cure = "" if ".java:" in done.stderr else " It needs a JDK: apt-get install openjdk-17-jdk-headless"
            raise StackError(f"the test catalog could not be compiled by {java}: {done.stderr.strip()[:2000]}{cure}")
        (folder / "done").touch()
    return folder


def on_class_path() -> None:
    """Put the classes on the class path of the JVMs that are launched from now on."""
    os.environ["SPARK_DIST_CLASSPATH"] = str(compiled())


def settings(name: str, *, row_level: bool = False) -> dict[str, str]:
    """The settings of a session that make `name` such a catalog."""
    key = f"spark.sql.catalog.{name}"
    return {key: CLASS, f"{key}.row-level": str(row_level).lower()}
