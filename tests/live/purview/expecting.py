"""Cases, and what each must come to: flows between assets, and which column of an input becomes which of an output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from tests.live.purview.assets import Asset, Data
from tests.live.sources.family import Case

Column = tuple[str, str, str, str]
"""The qualifiedName of an input (or `*`), its column, the qualifiedName of an output, its column."""


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A process: what it connects, and its column mapping."""

    inputs: frozenset[Asset]
    outputs: frozenset[Asset]
    columns: frozenset[Column]

    def lines(self) -> list[str]:
        """As a person compares it: a line a flow, below it a line a column."""
        ends = (", ".join(f"{each.type} {each.name}" for each in sorted(side)) for side in (self.outputs, self.inputs))
        return [
            " <= ".join(ends),
            *(f"  {to} {sink} <- {of} {source}" for of, source, to, sink in sorted(self.columns)),
        ]


def flow(inputs: Mapping[Data, str], output: Data) -> Flow:
    """Return the flow from some inputs to an output.

    Args:
        inputs: By input the columns that flow on: `id, amount > total` for `id` to `id` and `amount` to `total`.
        output: What is written.
    """
    columns: set[Column] = set()
    for source, pairs in inputs.items():
        for one, other in _pairs(pairs):
            columns.update((of.name, one, to.name, other) for of, to in _ways(source, output))
    sources = {asset for each in inputs for asset in _assets(each)} - {Asset("*", "*")}
    return Flow(inputs=frozenset(sources), outputs=frozenset(_assets(output)), columns=frozenset(columns))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for each in filter(None, map(str.strip, text.split(","))):
        source, _, sink = (part.strip() for part in each.partition(" > "))
        yield source, sink or source


def _assets(data: Data) -> tuple[Asset, ...]:
    return (data,) if isinstance(data, Asset) else data


def _ways(source: Data, sink: Data) -> Iterable[tuple[Asset, Asset]]:
    """From a table to a table and from its place to the other's place; else from each to each."""
    if isinstance(source, Asset) or isinstance(sink, Asset):
        return product(_assets(source), _assets(sink))
    return zip(source, sink, strict=True)


@dataclass(frozen=True, kw_only=True)
class Context:
    """What cases run in.

    Attributes:
        name: Of the context.
        conf: Spark's configuration.
        properties: Local properties of the thread, in which platforms name the job.
        settings: What `attach` is given.
        stem: What the names of its processes begin with.
        process_type: Of its processes.
        owners: What its processes belong to.
    """

    name: str
    conf: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    stem: str
    process_type: str
    owners: frozenset[Asset] = frozenset()


@dataclass(frozen=True, kw_only=True)
class FlowCase:
    """A case: what runs, in which context, and what it comes to. What it does before its `yield` is not looked at."""

    name: str
    run: Case
    context: Context
    flows: tuple[Flow, ...]
    needs: frozenset[str] = frozenset()


CASES: dict[str, FlowCase] = {}


def case(context: Context, *flows: Flow, name: str | None = None, needs: str = "") -> Callable[[Case], Case]:
    """Return a case that comes to these flows, in any order; `needs` names what a session may lack: delta, kafka."""

    def add(function: Case) -> Case:
        called = name or function.__name__
        assert called not in CASES, called
        CASES[called] = FlowCase(
            name=called,
            run=function,
            context=context,
            flows=flows,
            needs=frozenset(needs.split()),
        )
        return function

    return add


def lines(flows: Iterable[Flow]) -> list[str]:
    """Flows as lines, sorted; a repeated flow counts once."""
    return [line for found in sorted(each.lines() for each in set(flows)) for line in found]


def resolved(expected: Iterable[Flow], shown: Iterable[Flow]) -> list[Flow]:
    """Expected flows, whose open names are those of the one asset that is shown and fits."""
    assets = {asset for each in shown for asset in each.inputs | each.outputs}
    names: dict[Asset, Asset] = {}

    def of(asset: Asset) -> Asset:
        if "*" not in f"{asset.type}{asset.name}":
            return asset
        if asset not in names:
            fitting = [each for each in assets if _fits(asset.type, each.type) and _fits(asset.name, each.name)]
            names[asset] = fitting[0] if len(fitting) == 1 else asset
        return names[asset]

    result = []
    for each in expected:
        by_name = {asset.name: of(asset).name for asset in each.inputs | each.outputs}
        columns = {(by_name.get(s, s), a, by_name.get(t, t), b) for s, a, t, b in each.columns}
        result.append(
            Flow(
                inputs=frozenset(map(of, each.inputs)),
                outputs=frozenset(map(of, each.outputs)),
                columns=frozenset(columns),
            )
        )
    return result


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None
