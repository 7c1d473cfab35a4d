"""Generate the specification of what the listener projects: one line per event, class, field or format.

Every module of declared classes is imported here, and here only.
"""

from __future__ import annotations

from collections.abc import Iterable

from sac_kafka.plan import (  # noqa: F401 their import declares the classes
    catalog,
    commands,
    commands_without_write,
    execution,
    functions,
    hive_commands,
    ml_events,
    nodes,
    operators,
    relations,
    row_functions,
    streaming,
    v2_definitions,
    v2_tables,
    v2_writes,
    variables,
)
from sac_kafka.plan.declaration import DECLARED, Accessor, accessors
from sac_kafka.plan.execution import EVENTS
from sac_kafka.plan.formats import FORMATS
from sac_kafka.plan.options import SOURCE_OPTIONS
from sac_kafka.plan.rdds import ROWS_OF_RDD, RddJobStart
from sac_kafka.plan.systems import databricks, delta, hudi, iceberg, jdbc, stores  # noqa: F401 as above

_OF_SOURCES = frozenset(SOURCE_OPTIONS)


def specification(options: Iterable[str] = (), *, follows_rdds: bool = True) -> str:
    """Return the text from which `ProjectionListener` is built; tabs separate the parts of a line.

    Args:
        options: Further keys of options (of plug-ins) that are projected wherever those of `plan.options` are.
        follows_rdds: Whether to project RDDs and the jobs that write them.
    """
    more = tuple(options)
    omitted = () if follows_rdds else (ROWS_OF_RDD,)
    lines = [f"event\t{name}" for name in EVENTS if follows_rdds or DECLARED[name] is not RddJobStart]
    lines += (
        f"format\t{f.function}\t{f.position}\t{f.arity}\t{'mark' if f.is_mark else ''}\t{f.ending}" for f in FORMATS
    )
    for name, cls in DECLARED.items():
        lines.append(f"class\t{name}")
        lines.extend(
            f"field\t{a.name}\t{a.path}\t{a.kind}\t{','.join(_keys(a, more))}"
            for a in accessors(cls)
            if a.path not in omitted
        )
    return "\n".join(lines) + "\n"


def _keys(a: Accessor, more: tuple[str, ...]) -> tuple[str, ...]:
    return (*a.keys, *more) if set(a.keys) >= _OF_SOURCES else a.keys
