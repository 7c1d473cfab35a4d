"""The jar of a main in Java, which stands for those in Scala, too: neither knows anything of Python."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from stack import compiling
from stack.java import find_java
from tests.unit.launch.starting import JOBS

ROOT = Path(__file__).resolve().parents[3]
CLASS = "com.example.Main"


def main_jar(folder: Path) -> Path:
    """A jar with it, compiled for the Spark that is installed."""
    import pyspark

    jars = os.pathsep.join(map(str, (Path(pyspark.__file__).parent / "jars").glob("*.jar")))
    kind = f"{pyspark.__version__}-"
    source = JOBS / "Main.java"
    classes = compiling.compiled(
        "the main", [source], ROOT / "build" / "main", java=find_java().path, class_path=jars, kind=kind
    )
    jar = folder / "main.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.write(file, str(file.relative_to(classes)))
    return jar
