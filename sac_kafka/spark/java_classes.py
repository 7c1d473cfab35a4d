"""Load the hook's Java classes into the driver's JVM.

Precompiled classes come from `classes/scala-*.jar`, which `dev/java_classes.py` builds. If they do not fit this driver (a
vendor's Spark with other signatures, another Scala, a jar that the JVM cannot read), the sources are compiled in the driver by
Janino, the compiler that every Spark includes for its generated code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.log import logger
from sac_kafka.spark.java_errors import brief


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


_LINKAGE = "sackafka.linking.Linkage"
_OBJECT = "java.lang.Object"


@dataclass(frozen=True, slots=True)
class LoadedClass:
    """The entry class of a unit, and why it was compiled in the driver; None if it was precompiled."""

    java_class: Any
    compiled_because: str | None = None


class MisfitError(SacKafkaError):
    """The precompiled classes do not fit this driver."""


def class_by_name(gateway: Any, name: str) -> Any:  # noqa: ANN401 Py4J objects
    """Return a class of the JVM; `gateway.jvm` would look for a class of each prefix of its name in all of Spark's jars."""
    return import_module("py4j.java_gateway").JavaClass(name, gateway._gateway_client)  # untyped, and only in a driver


def load(gateway: Any, spark_loader: Any, parent: Any, unit: JavaUnit) -> LoadedClass:  # noqa: ANN401 Py4J objects
    """Load a unit into the JVM and return its entry class.

    `spark_loader` is the class loader of Spark's classes, which include Janino; `parent` that of everything that the unit
    refers to.
    """
    try:
        return LoadedClass(_load_archive(gateway, parent, unit))
    except Exception as error:  # noqa: BLE001 whatever fails here: the sources work on every supported Spark
        reason = str(error) if isinstance(error, MisfitError) else brief(error)
    logger.debug("compiling %s in the driver: %s", unit.entry, reason)
    return LoadedClass(_cook(gateway, spark_loader, parent, compilation_unit(unit)).loadClass(unit.entry), reason)


def archive(scala: str) -> Path:
    """Return the path of the classes that are compiled for a binary version of Scala, such as 2.13."""
    return Path(str(resources.files("sac_kafka.spark"))) / "classes" / f"scala-{scala}.jar"


def driver_archive() -> Path:
    """Return the path of the jar for drivers that start no Python (`java/driver/`)."""
    return Path(str(resources.files("sac_kafka.spark"))) / "classes" / "sac-kafka-driver.jar"


def _load_archive(gateway: Any, parent: Any, unit: JavaUnit) -> Any:  # noqa: ANN401 Py4J objects
    scala = ".".join(class_by_name(gateway, "scala.util.Properties").versionNumberString().split(".")[:2])
    path = archive(scala)
    if not path.is_file():
        raise MisfitError(f"there are no precompiled classes at {path}")
    file = class_by_name(gateway, "java.io.File")(str(path))
    if file.length() != path.stat().st_size:  # another machine or container, or no permission
        raise MisfitError(f"the driver's JVM cannot read {path}")
    urls = gateway.new_array(class_by_name(gateway, "java.net.URL"), 1)
    urls[0] = file.toURI().toURL()
    loader = class_by_name(gateway, "java.net.URLClassLoader")(urls, parent)
    nothing = gateway.new_array(class_by_name(gateway, _OBJECT), 0)
    linkage = loader.loadClass(_LINKAGE).getConstructors()[0].newInstance(nothing)
    missing = linkage.missing(unit.package)
    if missing is not None:
        raise MisfitError(f"this driver has no {missing}")
    return loader.loadClass(unit.entry)


def _cook(gateway: Any, spark_loader: Any, parent: Any, source: str) -> Any:  # noqa: ANN401 Py4J objects
    """Compile one compilation unit with Janino and return the class loader of its classes."""
    none = gateway.new_array(class_by_name(gateway, "java.lang.Class"), 0)
    nothing = gateway.new_array(class_by_name(gateway, _OBJECT), 0)
    compiler_class = spark_loader.loadClass("org.codehaus.janino.SimpleCompiler")
    compiler = compiler_class.getConstructor(none).newInstance(nothing)
    compiler.setParentClassLoader(parent)
    compiler.cook(source)
    return compiler.getClassLoader()
