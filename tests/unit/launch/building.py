"""Build the jar of a main class in Java (or Scala) that knows nothing of Python."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from stack import compiling
from stack.java import find_java
from tests.unit.launch.starting import JOBS

ROOT = Path(__file__).resolve().parents[3]
CLASS = "com.example.Main"


def spark_jars() -> str:
    """Return the class path of the installed Spark."""
    import pyspark

    return os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))


def compiled_here(source: Path) -> Path:
    """Compile a source for the installed Spark and return the folder of its classes."""
    import pyspark

    kind = f"{pyspark.__version__}-"
    return compiling.compiled(
        source.name, [source], ROOT / "build" / "main", java=find_java().path, class_path=spark_jars(), kind=kind
    )


def main_jar(folder: Path, source: Path = JOBS / "Main.java") -> Path:
    """Compile a main class for the installed Spark and return its jar."""
    classes = compiled_here(source)
    jar = folder / "main.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, str(file.relative_to(classes)))
    return jar
