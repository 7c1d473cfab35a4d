"""Whether what a plug-in offers can be taken: rows of the right kind that do not stand in the way of others.

What passes here cannot make the listener's specification unreadable, nor take what belongs to Spark or to the hook.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sac_kafka.config.secrets import is_secret
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.plan.declaration import DECLARED, accessors, offered_names
from sac_kafka.plan.options import TABLE_OPTIONS
from sac_kafka.sources.errors import PluginError

MAX_OPTIONS = 100
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)+")
_BEGINNING = re.compile(r"[A-Za-z_$][\w$]*\.[\w$.]+")
_NAME = re.compile(r"\S+")
_OPTION = re.compile(r"[\w.:/-]{1,200}")
_PATH = re.compile(r"(#?[A-Za-z_$][\w$]*)([.|]#?[A-Za-z_$][\w$]*)*")
_SPARKS = (
    "java.",
    "javax.",
    "scala.",
    "org.apache.spark.sql.catalyst.",
    "org.apache.spark.sql.connector.",
    "org.apache.spark.sql.sources.",
)
"""What all connectors are made of: no plug-in has a say in that."""


def sources_of(offered: object) -> tuple[Source, ...]:
    """The rows of an entry point: one, or several.

    Raises:
        PluginError: It is something else, or a part of a row is.
    """
    rows: Any = offered
    if isinstance(offered, Source):
        rows = (offered,)
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Sequence):
        raise PluginError(f"it is no Source and no list of them, but {type(offered).__name__}")
    wrong = [type(row).__name__ for row in rows if not isinstance(row, Source)]
    if wrong:
        raise PluginError(f"it holds something else than Source: {wrong[0]}")
    if not rows:
        raise PluginError("it holds no Source")
    for row in rows:
        _check(row)
    return tuple(replace(row, names=frozenset(name.lower() for name in row.names)) for row in rows)


def _check(row: Source) -> None:
    _texts(row, "names", (frozenset, set), _NAME, 'frozenset({"acme"})')
    _texts(row, "classes", (tuple, list), _BEGINNING, '("com.acme.spark.",)')
    _texts(row, "catalogs", (tuple, list), _BEGINNING, '("com.acme.spark.AcmeCatalog",)')
    _texts(row, "options", (tuple, list), _OPTION, '("acme.table",)')
    if not (row.names or row.classes or row.catalogs or row.reads):
        raise PluginError("a Source needs names, classes, catalogs or reads to be known by")
    if row.dataset is not None and not callable(row.dataset):
        raise PluginError(f"dataset is no function but {type(row.dataset).__name__}")
    if row.columns is not None and not isinstance(row.columns, (frozenset, set)):
        raise PluginError("columns is a set of names, or None")
    if not isinstance(row.reads, Mapping):
        raise PluginError("reads is a mapping of declared classes to functions")
    if len(row.options) > MAX_OPTIONS:
        raise PluginError(f"more than {MAX_OPTIONS} options")
    if row.unnamed is not None and not isinstance(row.unnamed, str):
        raise PluginError("unnamed is a text, or None")
    for each in declared_classes((row,)):
        _check_class(each)


def _texts(row: Source, name: str, kinds: tuple[type, ...], form: re.Pattern[str], example: str) -> None:
    values: Any = getattr(row, name)
    if type(values) not in kinds or not all(isinstance(v, str) and form.fullmatch(v) for v in values):
        raise PluginError(f"{name} is to be as in {name}={example}")


def declared_classes(rows: Iterable[Source]) -> tuple[type, ...]:
    """The classes that rows read, and those that these are made of.

    Raises:
        PluginError: One was not made by `spark_class`.
    """
    found: dict[type, None] = {}
    waiting = []
    for row in rows:
        for cls, read in row.reads.items():
            if not isinstance(cls, type) or offered_names(cls) is None:
                raise PluginError(
                    f"reads names {_shown(cls)}, which is not declared with sac_kafka.sources.spark_class"
                )
            if not callable(read):
                raise PluginError(f"reads has no function for {_shown(cls)}")
            waiting.append(cls)
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found[cls] = None
            waiting += (t for t in _types(cls) if offered_names(t) is not None)
    return tuple(found)


def _types(cls: type) -> Iterator[type]:
    """The classes in the annotations of a class."""
    waiting = list(typing.get_type_hints(cls).values())
    while waiting:
        hint = waiting.pop()
        waiting += typing.get_args(hint)
        if isinstance(hint, type) and typing.get_origin(hint) is None:
            yield hint


def _shown(cls: object) -> str:
    return cls.__qualname__ if isinstance(cls, type) else type(cls).__name__


def _check_class(cls: type) -> None:
    for name in offered_names(cls) or ():
        if not isinstance(name, str) or not _CLASS.fullmatch(name):
            raise PluginError(
                f"{_shown(cls)} copies no class by its full name, as in spark_class('com.acme.spark.AcmeTable')"
            )
        if name.startswith(_SPARKS):
            raise PluginError(f"{name} belongs to Spark: declare the connector's own class")
    for field in accessors(cls):
        if not _PATH.fullmatch(field.path):
            raise PluginError(f"{_shown(cls)}.{field.name}: an accessor is methods joined by dots, alternatives by |")
        if any(is_secret(step) for step in (field.name, *re.split(r"[.|#]", field.path)) if step):
            raise PluginError(f"{_shown(cls)}.{field.name} looks like a secret: do not declare it")
        if not all(isinstance(key, str) and _OPTION.fullmatch(key) for key in field.keys):
            raise PluginError(f"{_shown(cls)}.{field.name}: keys are the names of options, each by itself")
        secret = next((key for key in field.keys if is_secret(key)), None)
        if secret is not None:
            raise PluginError(f"{_shown(cls)}.{field.name}: the key {secret} looks like a secret: do not name it")


def clash(rows: Iterable[Source], known: Iterable[Source]) -> str | None:
    """What belongs to a system that is known already; None where nothing does."""
    taken = tuple(known)
    for row in rows:
        for name in sorted(row.names):
            if any(name in each.names for each in taken):
                return f"the name {name}"
        for kind in ("classes", "catalogs"):
            for beginning in getattr(row, kind):
                others = [b for each in taken for b in getattr(each, kind)]
                declared = DECLARED if kind == "classes" else ()
                of_declared = any(name.startswith(beginning) for name in declared)
                if of_declared or any(beginning.startswith(b) or b.startswith(beginning) for b in others):
                    return f"the {kind} {beginning}"
    for cls in declared_classes(rows):
        for name in offered_names(cls) or ():
            if DECLARED.get(name, cls) is not cls or any(name.startswith(each.classes) for each in taken):
                return f"the class {name}"
    return None


def travelling(rows: Iterable[Source]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of rows that may travel, and those that look like secrets."""
    named = dict.fromkeys(key.lower() for row in rows for key in row.options)
    known = {key.lower() for key in TABLE_OPTIONS}
    return (
        tuple(key for key in named if not is_secret(key) and key not in known),
        tuple(key for key in named if is_secret(key)),
    )
