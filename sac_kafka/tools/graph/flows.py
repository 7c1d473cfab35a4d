"""Convert messages to `Flow` values, the form of lineage that users compare in tests of their jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from sac_kafka.atlas.wire.reader import read
from sac_kafka.errors import MessageError
from sac_kafka.model.facts import LINEAGE, PARTIAL
from sac_kafka.tools.messages.lineage import whole_messages
from sac_kafka.tools.messages.model import ColumnFlow, LineageProcess
from sac_kafka.tools.messages.names import process_with_labels
from sac_kafka.tools.messages.state import ServerState


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
        expressions: Output column to the expressions that compute it, without plain copies; several if statements differ.
        constants: Output column without source columns to its expressions.
        rows: The joins, filters, groupings and sorts of the last run as a sentence; "" without any.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    influences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()
    expressions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    constants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: str = ""


def flows(values: Iterable[bytes]) -> tuple[Flow, ...]:
    """Return the flows that a server holds after it has processed messages, in the order of their first appearance.

    Unreadable values, and parts of split messages, are skipped.
    """
    state = ServerState()
    for value in whole_messages(values):
        with suppress(MessageError):
            state.apply(read(value).notification)
    return flows_of(state)


def flows_of(state: ServerState) -> tuple[Flow, ...]:
    """Return the flows of what a server holds, in the order of their first appearance."""
    return tuple(_flow(item) for item in state.items() if isinstance(item, LineageProcess) and item.outputs)


def _flow(full: LineageProcess) -> Flow:
    process = process_with_labels(full)
    return Flow(
        inputs=tuple(sorted(process.inputs)),
        outputs=tuple(sorted(process.outputs)),
        columns=_by_output(_sources, (column for column in process.columns if not column.influences)),
        influences=_by_output(_sources, (column for column in process.columns if column.influences)),
        missing=_missing(LINEAGE.read(process.attributes)),
        decided_by=tuple(sorted(process.decided_by)),
        expressions=_by_output(_expressions, (column for column in process.columns if _has_expression(column))),
        constants=_by_output(_expressions, process.constant_columns),
        rows=process.rows,
    )


def _by_output(
    values: Callable[[ColumnFlow], Iterable[str]], found: Iterable[ColumnFlow]
) -> dict[str, tuple[str, ...]]:
    """Return the values of all flows of each output column, sorted."""
    by_output: dict[str, set[str]] = {}
    for each in found:
        by_output.setdefault(str(each.output), set()).update(values(each))
    return {output: tuple(sorted(each)) for output, each in sorted(by_output.items())}


def _sources(flow: ColumnFlow) -> Iterable[str]:
    return map(str, flow.sources)


def _expressions(flow: ColumnFlow) -> Iterable[str]:
    return filter(None, (flow.expression,))


def _has_expression(flow: ColumnFlow) -> bool:
    """Return whether a column has an expression; in place of one that is not known, messages name the source columns."""
    parts = flow.expression.split(", ")
    ends = tuple(f".{source.name}" for source in flow.sources)
    is_list = len(parts) == len(ends) and all(part.endswith(ends) for part in parts)
    return bool(flow.expression) and not is_list


def _missing(completeness: str) -> tuple[str, ...]:
    """Return the reasons after `partial: `."""
    state, _, why = completeness.partition(": ")
    return tuple(why.split("; ")) if state == PARTIAL and why else ()
