"""The hook's Java sources in units that are compiled and loaded together: a folder each, with the class that Python uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class JavaUnit:
    """The Java files of one package: those of `java/`, or of a folder in it. `entry` is the class that Python uses."""

    folder: str
    entry: str

    @property
    def package(self) -> str:
        """The Java package."""
        return self.entry.rpartition(".")[0]


LISTENER = JavaUnit("", "sackafka.ProjectionListener")
PRODUCER = JavaUnit("kafka", "sackafka.kafka.RecordProducer")
"""Sends records with Kafka's Java client, which the parent class loader must have."""
LAUNCH = JavaUnit("launching", "sackafka.launching.Launch")
"""Runs the main of a Scala or Java application, which the parent class loader must have."""
GATE = "sackafka.launching.ContextGate"
METRICS = JavaUnit("metrics", "sackafka.metrics.FigureSource")
"""Publishes the hook's figures through Spark's metrics system."""
UNITS = (LISTENER, PRODUCER, LAUNCH, METRICS)

_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_PACKAGE = re.compile(r"^package .*;\n", re.MULTILINE)


def sources(unit: JavaUnit) -> dict[str, str]:
    """Return the source files of a unit by name, sorted."""
    folder = resources.files("sac_kafka.spark") / "java" / unit.folder
    files = (file for file in folder.iterdir() if file.name.endswith(".java"))
    return {file.name: file.read_text("utf-8") for file in sorted(files, key=lambda file: file.name)}


def compilation_unit(unit: JavaUnit) -> str:
    """Return the sources of a unit as one text, as Janino compiles them: package, imports, classes."""
    texts = sources(unit).values()
    imports = sorted({line for text in texts for line in _IMPORT.findall(text)})
    bodies = [_PACKAGE.sub("", _IMPORT.sub("", text)) for text in texts]
    return f"package {unit.package};\n" + "".join(imports) + "\n".join(bodies)
