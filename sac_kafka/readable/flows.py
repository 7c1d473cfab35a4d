"""Messages in the form that tests of users' jobs compare: datasets, and the columns that each column is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sac_kafka.errors import MessageError
from sac_kafka.readable.lineage import said
from sac_kafka.readable.told import ToldProcess


@dataclass(frozen=True, slots=True)
class Flow:
    """A job's way from what it reads to what it writes; names are Atlas' own without the namespace, sorted.

    Args:
        inputs: Datasets that are read, such as `sales.orders` or `file:/data/orders`.
        outputs: Datasets that are written.
        columns: Column of an output to the columns that its value is made of: `sales.report.total` to
            `("sales.orders.amount",)`; columns of files and topics are `DATASET#column`.
        influences: Column of an output to the columns that only decide its value (conditions, windows).
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    influences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def flows(values: Iterable[bytes]) -> tuple[Flow, ...]:
    """The flows that messages tell of, in the order in which they were first told; parts of messages are passed over.

    Args:
        values: Values of records.
    """
    ends: dict[str, ToldProcess] = {}
    columns: dict[tuple[str, bool], dict[str, tuple[str, ...]]] = {}
    for process in _processes(values):
        if process.outputs:
            ends[process.id] = process
        for flow in process.columns:
            sources = tuple(sorted(map(str, flow.sources)))
            columns.setdefault((process.id, flow.influences), {})[str(flow.output)] = sources

    def of(process: str, *, influences: bool) -> dict[str, tuple[str, ...]]:
        return dict(sorted(columns.get((process, influences), {}).items()))

    return tuple(
        Flow(
            tuple(sorted(each.inputs)),
            tuple(sorted(each.outputs)),
            of(each.id, influences=False),
            of(each.id, influences=True),
        )
        for each in ends.values()
    )


def _processes(values: Iterable[bytes]) -> Iterator[ToldProcess]:
    for value in values:
        try:
            told = said(value)
        except MessageError:
            continue
        yield from (each for each in told if isinstance(each, ToldProcess))
