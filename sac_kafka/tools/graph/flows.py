"""Convert messages to `Flow` values, the form of lineage that users compare in tests of their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sac_kafka.atlas.flows.run_facts import PARTIAL
from sac_kafka.errors import MessageError
from sac_kafka.tools.graph.graph import graph_of
from sac_kafka.tools.messages.lineage import parse_message
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess
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
    graph = graph_of(_parsed(values))
    return tuple(_flow(each) for each in graph.processes.values() if each.outputs)


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
    """Yield the items of messages without renames: a test names datasets as they were called when they were written."""
    for value in values:
        with suppress(MessageError):
            for each in parse_message(value):
                if isinstance(each, LineageProcess) or not each.new_name:
                    yield each
