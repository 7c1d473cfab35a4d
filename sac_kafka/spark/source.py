"""The listener's Java source as one compilation unit: Spark's compiler takes one, people read one class a file."""

from __future__ import annotations

import re
from importlib import resources

LISTENER = "sackafka.ProjectionListener"
_FILES = (
    "FlushMarker",
    "Counters",
    "TextQueue",
    "Masking",
    "Specification",
    "Definitions",
    "ForeignQuery",
    "Steps",
    "Records",
    "Texts",
    "Containers",
    "Locations",
    "Accessors",
    "ColumnNames",
    "Values",
    "Expressions",
    "Plans",
    "Projection",
    "ProjectionListener",
)
_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_PACKAGE = re.compile(r"^package .*;\n", re.MULTILINE)


def compilation_unit() -> str:
    """The package, the imports of all files, their classes."""
    folder = resources.files("sac_kafka.spark") / "java"
    texts = [(folder / f"{name}.java").read_text("utf-8") for name in _FILES]
    imports = sorted({line for text in texts for line in _IMPORT.findall(text)})
    bodies = [_PACKAGE.sub("", _IMPORT.sub("", text)) for text in texts]
    return "package sackafka;\n" + "".join(imports) + "\n".join(bodies)
