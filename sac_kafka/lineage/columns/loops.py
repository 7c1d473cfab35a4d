"""Recursive CTEs: what the recursion reads is what the loop makes, so its columns are a fixed point.

The recursion's reference to the loop is seen before the loop is known: its columns are sources that stand for the loop's,
until the loop puts in their place what they come to.
"""

from __future__ import annotations

import dataclasses

from sac_kafka.lineage.columns.below import Below
from sac_kafka.lineage.columns.combining import NOTHING, Sources
from sac_kafka.lineage.columns.handed_up import Columns, OutputColumn
from sac_kafka.lineage.columns.operators import united
from sac_kafka.lineage.columns.rules import columns_of
from sac_kafka.lineage.columns.stand_ins import is_stand_in, loop_column, with_loop
from sac_kafka.plan.operators import UnionLoop, UnionLoopRef


@columns_of.register
def _(node: UnionLoopRef, below: Below) -> Columns:
    del below
    return Columns(
        OutputColumn(a.expr_id, a.name, loop_column(node.loop_id, i), type=a.type) for i, a in enumerate(node.output)
    )


@columns_of.register
def _(node: UnionLoop, below: Below) -> Columns:
    """By position: the anchor's columns, and what the recursion makes of the loop's own."""
    anchor, recursion = (child.outputs for child in below.children[:2])
    known = {i: c.sources for i, c in enumerate(anchor)}
    while True:
        more = {
            i: c.sources | with_loop(recursion[i].sources if i < len(recursion) else NOTHING, node.loop_id, known)
            for i, c in enumerate(anchor)
        }
        if more == known:
            break
        known = more
    return Columns(
        dataclasses.replace(
            _told(c, recursion[i] if i < len(recursion) else c),
            expr_id=a.expr_id,
            name=a.name,
            sources=known[i],
            type=a.type,
            kind=None,
            parts=(),
        )
        for i, (a, c) in enumerate(zip(node.output, anchor, strict=False))
    )


def _told(anchor: OutputColumn, again: OutputColumn) -> OutputColumn:
    """The anchor's column with what the recursion makes of it; what only hands on the loop's own column adds nothing."""
    is_handed_on = again.definition is None and any(is_stand_in(s.dataset) for s in again.sources)
    return anchor if is_handed_on else united([anchor, again])


def with_loops(sources: Sources, loops: dict[int, Columns]) -> Sources:
    """The sources with those of the loops' columns in place of what stands for them; inner loops come first."""
    for loop, columns in loops.items():
        known = {i: c.sources for i, c in enumerate(columns.outputs)}
        sources = with_loop(sources, loop, known)
    return sources
