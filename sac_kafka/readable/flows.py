"""Messages in the form that tests of users' jobs compare: datasets, and the columns that each column is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.flows.run_facts import PARTIAL
from sac_kafka.errors import MessageError
from sac_kafka.readable.entities import column_of_type, is_column
from sac_kafka.readable.lineage import said
from sac_kafka.readable.names import process_as_shown
from sac_kafka.readable.told import ColumnFlows, ToldChange, ToldProcess


@dataclass(frozen=True, slots=True)
class Flow:
    """A job's way from what it reads to what it writes; names are Atlas' own without the namespace, sorted.

    Two datasets of one flow that differ by the namespace alone keep it: `topic@one`, `topic@other`.

    Args:
        inputs: Datasets that are read, such as `sales.orders` or `file:/data/orders`.
        outputs: Datasets that are written.
        columns: Column of an output to the columns that its value is made of: `sales.report.total` to
            `("sales.orders.amount",)`; columns of files and topics are `DATASET#column`.
        influences: Column of an output to the columns that only decide its value (conditions, windows).
        missing: Why not all of it is known, what takes away most first; empty where the lineage is complete.
        decided_by: Datasets that values of the statement were read from in the driver's Python, and that are no inputs for it:
            they decided what was written.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    influences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()


def flows(values: Iterable[bytes]) -> tuple[Flow, ...]:
    """Return the flows that messages tell of, in the order in which they were first told; parts of messages are passed over.

    What a column is made of is left out where the messages delete that, or the column.

    Args:
        values: Values of records.
    """
    told: dict[str, ToldProcess] = {}
    columns = ColumnFlows()
    for each in _told(values):
        if isinstance(each, ToldProcess):
            if each.outputs:
                told[each.id] = each
            columns.take(each.id, each.columns)
        elif each.verb == "dropped" and is_column(each.type_name):
            columns.delete_column(column_of_type(each.name, each.type_name))
        elif each.verb == "dropped":
            columns.delete(each.name)
    return tuple(_flow(replace(each, columns=columns.of(id_))) for id_, each in told.items())


def _flow(told: ToldProcess) -> Flow:
    process = process_as_shown(told)

    def of(*, influences: bool) -> dict[str, tuple[str, ...]]:
        found = (each for each in process.columns if each.influences is influences)
        return dict(sorted((str(each.output), tuple(sorted(map(str, each.sources)))) for each in found))

    return Flow(
        tuple(sorted(process.inputs)),
        tuple(sorted(process.outputs)),
        of(influences=False),
        of(influences=True),
        _missing(process.about.get("lineage", "")),
        tuple(sorted(process.decided_by)),
    )


def _missing(said: str) -> tuple[str, ...]:
    """The reasons behind `partial`."""
    says, _, why = said.partition(": ")
    return tuple(why.split("; ")) if says == PARTIAL and why else ()


def _told(values: Iterable[bytes]) -> Iterator[ToldProcess | ToldChange]:
    for value in values:
        with suppress(MessageError):
            yield from said(value)
