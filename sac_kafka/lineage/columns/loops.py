"""Compute the columns of recursive CTEs as a fixed point: the recursion reads what the loop produces.

The recursion's reference to the loop is visited before the loop itself, so its columns are placeholders that the loop
replaces.
"""

from __future__ import annotations

import dataclasses

from sac_kafka.lineage.columns.child_columns import ChildColumns
from sac_kafka.lineage.columns.operators import union_of
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import is_placeholder, loop_column, with_loop
from sac_kafka.lineage.columns.rules import columns_of
from sac_kafka.model.columns import NO_SOURCES, Sources
from sac_kafka.plan.operators import UnionLoop, UnionLoopRef


@columns_of.register
def _(node: UnionLoopRef, below: ChildColumns) -> Columns:
    del below
    return Columns(
        OutputColumn(a.expr_id, a.name, loop_column(node.loop_id, i), type=a.type) for i, a in enumerate(node.output)
    )


@columns_of.register
def _(node: UnionLoop, below: ChildColumns) -> Columns:
    """Combine the columns of anchor and recursion by position."""
    anchor, recursion = (child.outputs for child in below.children[:2])
    known = {i: c.sources for i, c in enumerate(anchor)}
    while True:
        more = {
            i: c.sources | with_loop(recursion[i].sources if i < len(recursion) else NO_SOURCES, node.loop_id, known)
            for i, c in enumerate(anchor)
        }
        if more == known:
            break
        known = more
    return Columns(
        dataclasses.replace(
            _with_recursion(c, recursion[i] if i < len(recursion) else c),
            expr_id=a.expr_id,
            name=a.name,
            sources=known[i],
            type=a.type,
            kind=None,
            parts=(),
        )
        for i, (a, c) in enumerate(zip(node.output, anchor, strict=False))
    )


def _with_recursion(anchor: OutputColumn, recursion: OutputColumn) -> OutputColumn:
    """Return the anchor's column combined with the recursion's, unless the recursion only copies the loop's column."""
    is_copy = recursion.definition is None and any(is_placeholder(s.dataset) for s in recursion.sources)
    return anchor if is_copy else union_of([anchor, recursion])


def with_loops(sources: Sources, loops: dict[int, Columns]) -> Sources:
    """Replace the placeholders of the columns of all loops; `loops` has inner loops first."""
    for loop, columns in loops.items():
        known = {i: c.sources for i, c in enumerate(columns.outputs)}
        sources = with_loop(sources, loop, known)
    return sources
