"""Compiles the test catalog against the jars of the Spark that is installed, once for each state of its sources."""

from __future__ import annotations

import os
from pathlib import Path

from stack import compiling
from stack.java import find_java

ROOT = Path(__file__).resolve().parents[3]
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.java")))
COMPILED = ROOT / "build" / "catalog"
CLASS = "sackafka.testing.MemoryCatalog"


def compiled() -> Path:
    """Return the folder of the classes.

    Raises:
        StackError: there is no compiler, or it does not take the sources.
    """
    import pyspark

    jars = os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))
    java = find_java().path
    kind = f"{pyspark.__version__}-"
    return compiling.compiled("the test catalog", SOURCES, COMPILED, java=java, class_path=jars, kind=kind)


def on_class_path() -> None:
    """Put the classes on the class path of the JVMs that are launched from now on."""
    os.environ["SPARK_DIST_CLASSPATH"] = str(compiled())


def settings(name: str, *, row_level: bool = False) -> dict[str, str]:
    """Return the settings of a session that make `name` such a catalog."""
    key = f"spark.sql.catalog.{name}"
    return {key: CLASS, f"{key}.row-level": str(row_level).lower()}
