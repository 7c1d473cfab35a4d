"""The hook's Java sources as compilation units: Spark's compiler takes one, people read one class a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Traversable

LISTENER = "sackafka.ProjectionListener"
PRODUCER = "sackafka.kafka.RecordProducer"
LAUNCH = "sackafka.launching.Launch"
GATE = "sackafka.launching.ContextGate"
METRICS_SOURCE = "sackafka.metrics.FigureSource"
_LISTENER_FILES = (
    "FlushMarker",
    "DriverNote",
    "PlanLiterals",
    "StatementPlans",
    "ModelNote",
    "Counters",
    "EventLine",
    "HandOff",
    "TextQueue",
    "Ends",
    "Addresses",
    "SecretParameters",
    "Literals",
    "Masking",
    "OwnName",
    "OwnNames",
    "Specification",
    "Definitions",
    "ForeignQuery",
    "ForeignText",
    "Planned",
    "Steps",
    "Records",
    "Texts",
    "Containers",
    "Constants",
    "Locations",
    "OwnOptions",
    "StreamParts",
    "PartitionLocations",
    "RddParents",
    "FilesOfSplits",
    "HadoopInput",
    "HadoopOutput",
    "ScannedFiles",
    "RddRows",
    "RddJobStart",
    "RddJobs",
    "Watch",
    "ScanFigures",
    "Scans",
    "DriverCounts",
    "Jobs",
    "StreamOf",
    "Scripts",
    "Accessors",
    "ColumnNames",
    "Values",
    "Expressions",
    "Plans",
    "Projection",
    "Requests",
    "Notes",
    "RecordText",
    "NewIds",
    "PlanDigest",
    "OpenBatch",
    "SourceRows",
    "RepeatedBatches",
    "RepeatedLine",
    "MicroBatches",
    "BatchEvents",
    "ListenerSettings",
    "BusDrops",
    "ProjectionListener",
)
_PRODUCER_FILES = ("Errors", "Reports", "Waiting", "ClusterSerializer", "Connections", "Handover", "RecordProducer")
_LAUNCH_FILES = ("Visit", "Launch", "ContextGate")
_METRICS_FILES = ("Figure", "FigureSource")
_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_PACKAGE = re.compile(r"^package .*;\n", re.MULTILINE)


def compilation_unit() -> str:
    """The listener: the package, the imports of all files, their classes."""
    return _unit("sackafka", resources.files("sac_kafka.spark") / "java", _LISTENER_FILES)


def producer_unit() -> str:
    """What produces through Kafka's Java client, for a class path that has it."""
    return _unit("sackafka.kafka", resources.files("sac_kafka.spark") / "java" / "kafka", _PRODUCER_FILES)


def launch_unit() -> str:
    """What runs a main in Scala or Java, for a class path that has it."""
    return _unit("sackafka.launching", resources.files("sac_kafka.spark") / "java" / "launching", _LAUNCH_FILES)


def metrics_unit() -> str:
    """What stands beside Spark's own metrics."""
    return _unit("sackafka.metrics", resources.files("sac_kafka.spark") / "java" / "metrics", _METRICS_FILES)


def _unit(package: str, folder: Traversable, names: Iterable[str]) -> str:
    texts = [(folder / f"{name}.java").read_text("utf-8") for name in names]
    imports = sorted({line for text in texts for line in _IMPORT.findall(text)})
    bodies = [_PACKAGE.sub("", _IMPORT.sub("", text)) for text in texts]
    return f"package {package};\n" + "".join(imports) + "\n".join(bodies)
