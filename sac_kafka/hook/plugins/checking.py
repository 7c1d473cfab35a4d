"""Validate the sources of a plug-in, which must neither break the listener's specification nor redefine classes of Spark."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.masking import is_secret
from sac_kafka.plan.declaration import accessors, offered_names
from sac_kafka.plan.options import TABLE_OPTIONS

MAX_OPTIONS = 100
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)+")
_CLASS_PREFIX = re.compile(r"[A-Za-z_$][\w$]*\.[\w$.]+")
_NAME = re.compile(r"\S+")
_OPTION = re.compile(r"[\w.:/-]{1,200}")
_PATH = re.compile(r"(#?[A-Za-z_$][\w$]*)([.|]#?[A-Za-z_$][\w$]*)*")
_SPARK_PREFIXES = (
    "java.",
    "javax.",
    "scala.",
    "org.apache.spark.sql.catalyst.",
    "org.apache.spark.sql.connector.",
    "org.apache.spark.sql.sources.",
)
"""Packages of common classes that plug-ins must not redefine."""


class PluginError(SacKafkaError):
    """Raised for an invalid declaration or return value of a plug-in; the message states the fault and the fix."""


def sources_of(offered: object) -> tuple[Source, ...]:
    """Validate the object of an entry point, a Source or a list of them, and return its sources.

    Raises:
        PluginError: The object, or a field of a source, is invalid.
    """
    rows: Any = offered
    if isinstance(offered, Source):
        rows = (offered,)
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Sequence):
        raise PluginError(f"must be a Source or a list of them, not {type(offered).__name__}")
    wrong = [type(row).__name__ for row in rows if not isinstance(row, Source)]
    if wrong:
        raise PluginError(f"must contain only Source, not {wrong[0]}")
    if not rows:
        raise PluginError("contains no Source")
    for row in rows:
        _check(row)
    return tuple(replace(row, names=frozenset(name.lower() for name in row.names)) for row in rows)


def _check(row: Source) -> None:
    _check_texts(row, "names", (frozenset, set), _NAME, 'frozenset({"acme"})')
    _check_texts(row, "classes", (tuple, list), _CLASS_PREFIX, '("com.acme.spark.",)')
    _check_texts(row, "catalogs", (tuple, list), _CLASS_PREFIX, '("com.acme.spark.AcmeCatalog",)')
    _check_texts(row, "options", (tuple, list), _OPTION, '("acme.table",)')
    if not (row.names or row.classes or row.catalogs or row.reads):
        raise PluginError("a Source must have names, classes, catalogs or reads")
    if row.dataset is not None and not callable(row.dataset):
        raise PluginError(f"dataset must be a function, not {type(row.dataset).__name__}")
    if row.columns is not None and not isinstance(row.columns, (frozenset, set)):
        raise PluginError("columns must be a set of names, or None")
    if not isinstance(row.reads, Mapping):
        raise PluginError("reads must be a mapping of declared classes to functions")
    if len(row.options) > MAX_OPTIONS:
        raise PluginError(f"options must be at most {MAX_OPTIONS}")
    if row.unnamed is not None and not isinstance(row.unnamed, str):
        raise PluginError("unnamed must be a str, or None")
    for declared_class in declared_classes((row,)):
        _check_class(declared_class)


def _check_texts(row: Source, name: str, kinds: tuple[type, ...], form: re.Pattern[str], example: str) -> None:
    values: Any = getattr(row, name)
    if type(values) not in kinds or not all(isinstance(v, str) and form.fullmatch(v) for v in values):
        raise PluginError(f"{name} must have the form {name}={example}")


def declared_classes(rows: Iterable[Source]) -> tuple[type, ...]:
    """Return the classes that sources read, and the declared classes in their annotations, recursively.

    Raises:
        PluginError: A class is not declared with `spark_class`.
    """
    found: dict[type, None] = {}
    waiting = []
    for row in rows:
        for cls, read in row.reads.items():
            if not isinstance(cls, type) or offered_names(cls) is None:
                raise PluginError(
                    f"reads contains {_class_name(cls)}, which is not declared with sac_kafka.plugins.spark_class"
                )
            if not callable(read):
                raise PluginError(f"reads has no function for {_class_name(cls)}")
            waiting.append(cls)
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found[cls] = None
            waiting += (t for t in _types(cls) if offered_names(t) is not None)
    return tuple(found)


def _types(cls: type) -> Iterator[type]:
    """Yield the classes in the annotations of a class."""
    waiting = list(typing.get_type_hints(cls).values())
    while waiting:
        hint = waiting.pop()
        waiting += typing.get_args(hint)
        if isinstance(hint, type) and typing.get_origin(hint) is None:
            yield hint


def _class_name(cls: object) -> str:
    return cls.__qualname__ if isinstance(cls, type) else type(cls).__name__


def _check_class(cls: type) -> None:
    for name in offered_names(cls) or ():
        if not isinstance(name, str) or not _CLASS.fullmatch(name):
            raise PluginError(
                f"{_class_name(cls)} needs full class names, as in spark_class('com.acme.spark.AcmeTable')"
            )
        if name.startswith(_SPARK_PREFIXES):
            raise PluginError(f"{name} belongs to Spark: declare the connector's own class")
    for field in accessors(cls):
        label = f"{_class_name(cls)}.{field.name}"
        if not _PATH.fullmatch(field.path):
            raise PluginError(f"{label}: an accessor must be methods joined by dots, alternatives by |")
        if any(is_secret(step) for step in (field.name, *re.split(r"[.|#]", field.path)) if step):
            raise PluginError(f"{label} looks like a secret: do not declare it")
        if not all(isinstance(key, str) and _OPTION.fullmatch(key) for key in field.keys):
            raise PluginError(f"{label}: keys must be separate names of options")
        secret = next((key for key in field.keys if is_secret(key)), None)
        if secret is not None:
            raise PluginError(f"{label}: the key {secret} looks like a secret: remove it")


def captured_options(rows: Iterable[Source]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split the options of sources into those that the listener may capture and those that look like secrets."""
    named = dict.fromkeys(key.lower() for row in rows for key in row.options)
    known = {key.lower() for key in TABLE_OPTIONS}
    return (
        tuple(key for key in named if not is_secret(key) and key not in known),
        tuple(key for key in named if is_secret(key)),
    )
