"""Convert messages to `Flow` values, the form of lineage that users compare in tests of their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from sac_kafka.atlas.flows.run_facts import PARTIAL
from sac_kafka.errors import MessageError
from sac_kafka.tools.messages.entities import column_of_type, is_column
from sac_kafka.tools.messages.lineage import parse_message
from sac_kafka.tools.messages.model import CatalogChange, ColumnFlows, LineageProcess
from sac_kafka.tools.messages.names import process_with_labels


@dataclass(frozen=True, slots=True)
class Flow:
    """Inputs and outputs of one process, with its column lineage; names are sorted and have no namespace.

    Two datasets of one flow that differ only by the namespace keep it: `topic@one`, `topic@other`.

    Args:
        inputs: Datasets that are read, such as `sales.orders` or `file:/data/orders`.
        outputs: Datasets that are written.
        columns: Output column to its direct source columns: `sales.report.total` to `("sales.orders.amount",)`; columns of
            files and topics are `DATASET#column`.
        influences: Output column to its indirect source columns (conditions, windows).
        missing: Reasons why the lineage is incomplete, the most serious first; empty if it is complete.
        decided_by: Datasets from which Python in the driver read values that the statement contains, and which are not inputs.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    influences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()


def flows(values: Iterable[bytes]) -> tuple[Flow, ...]:
    """Return the flows of messages, in the order of their first appearance; deleted flows and column lineage are omitted.

    Args:
        values: The values of records; unreadable ones, and parts of split messages, are skipped.
    """
    processes: dict[str, LineageProcess] = {}
    columns = ColumnFlows()
    for each in _parsed(values):
        if isinstance(each, LineageProcess):
            if each.outputs:
                processes[each.id] = each
            columns.add(each.id, each.columns)
        elif each.verb == "dropped" and is_column(each.type_name):
            columns.delete_column(column_of_type(each.name, each.type_name))
        elif each.verb == "dropped" and not columns.delete(each.name):
            processes.pop(each.name, None)
            columns.delete_process(each.name)
    return tuple(_flow(replace(each, columns=columns.flows_of(id_))) for id_, each in processes.items())


def _flow(full: LineageProcess) -> Flow:
    process = process_with_labels(full)

    def sources(*, influences: bool) -> dict[str, tuple[str, ...]]:
        found = (each for each in process.columns if each.influences is influences)
        return dict(sorted((str(each.output), tuple(sorted(map(str, each.sources)))) for each in found))

    return Flow(
        tuple(sorted(process.inputs)),
        tuple(sorted(process.outputs)),
        sources(influences=False),
        sources(influences=True),
        _missing(process.attributes.get("lineage", "")),
        tuple(sorted(process.decided_by)),
    )


def _missing(completeness: str) -> tuple[str, ...]:
    """Return the reasons after `partial: `."""
    state, _, why = completeness.partition(": ")
    return tuple(why.split("; ")) if state == PARTIAL and why else ()


def _parsed(values: Iterable[bytes]) -> Iterator[LineageProcess | CatalogChange]:
    for value in values:
        with suppress(MessageError):
            yield from parse_message(value)
