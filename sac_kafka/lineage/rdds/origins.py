"""Find the origin of the rows of RDDs, at the level of datasets: their code is no query, so there are no columns to follow.

The query behind `DataFrame.rdd` is recorded when the RDD is created, and names tables as any query does. For other RDDs, the
files and databases read by their parents are used. What a checkpoint cuts off is recorded when the checkpoint is requested.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.output_columns import Columns, OutputColumn
from sac_kafka.lineage.columns.placeholders import unknown
from sac_kafka.lineage.flow_inputs import FlowInputs
from sac_kafka.lineage.rdds.reads import rdd_readings
from sac_kafka.model.bounds import Bounded
from sac_kafka.model.columns import NO_SOURCES
from sac_kafka.model.gaps import (
    COLUMNS_OF_RDD,
    RDD_NOT_INSPECTED,
    TOO_MANY_RDDS,
    gaps_beyond_columns,
    worst_first,
)
from sac_kafka.names.files import Patterns
from sac_kafka.plan.rdds import RddRows
from sac_kafka.plan.relations import ExternalRDD, LogicalRDD, RowsWithoutDataset

MAX_QUERIES = 1_000
"""RDDs whose query, or origin before a checkpoint, is remembered; the oldest is evicted first."""


class RddOrigins:
    """Origins of an application's RDDs; `follows` is False if the listener does not project RDDs."""

    def __init__(self, patterns: Patterns, counts: Counter[str], *, follows: bool = True) -> None:
        self._patterns = patterns
        self._counts = counts
        self._follows = follows
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_QUERIES)

    def add_query(self, rdd_id: int, query: Origin) -> None:
        """Remember the query that an RDD was created from, by the id of the query's own RDD."""
        self._by_rdd[rdd_id] = query

    def add_checkpoint(self, rows: RddRows) -> None:
        """Remember the origin of an RDD that a checkpoint will cut off; do nothing if a checkpoint has done so before."""
        if rows.rdd_id not in rows.query_ids:
            self.add_query(rows.rdd_id, self.origin_of_rdd(rows))

    def origin_of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """Return the origin of a leaf's RDD, with columns of unknown sources; None if no RDD was projected."""
        if not isinstance(leaf, (LogicalRDD, ExternalRDD)):
            return None
        if leaf.rows is None and (self._follows or leaf.is_streaming):
            return None
        found = self.origin_of_rdd(leaf.rows) if leaf.rows is not None else self._unknown_origin(leaf)
        sources = unknown(COLUMNS_OF_RDD) if found.gaps else NO_SOURCES  # rows of the driver have no source columns
        columns = Columns(OutputColumn(a.expr_id, a.name, sources, type=a.type) for a in leaf.output)
        return dataclasses.replace(found, columns=columns, gaps=gaps_beyond_columns(found.gaps))

    def _unknown_origin(self, leaf: RowsWithoutDataset) -> Origin:
        self._counts[RDD_NOT_INSPECTED] += 1
        return Origin(inputs=(), columns=Columns(()), other_sources=(leaf.source_text,), gaps=(RDD_NOT_INSPECTED,))

    def origin_of_rdd(self, rows: RddRows) -> Origin:
        """Return the origin of an RDD, without columns."""
        found = FlowInputs(self._counts)
        by_id = {query.rdd_id: query for query in rows.queries}
        seen: set[int] = set()
        waiting = [rows]
        while waiting:
            at = waiting.pop()
            for reading in rdd_readings(at.reads, self._patterns):
                found.add_reading(id(at), reading, is_own=False)
            for query in at.query_ids:
                if query in seen:
                    continue
                seen.add(query)
                if (known := self._by_rdd.get(query)) is not None:
                    found.add_origin(known)
                elif query in by_id:
                    waiting.append(by_id[query])
        if rows.is_cut:
            found.note(TOO_MANY_RDDS)
            found.add_other_source("further RDDs, over the limit")
        inputs = tuple(found)
        return Origin(
            inputs=inputs,
            columns=Columns(()),
            definitions=tuple(found.definitions.values()),
            versions=found.versions,
            other_sources=found.other_sources,
            through_driver=found.through_driver,
            gaps=worst_first((*gaps_beyond_columns(found.gaps), *((COLUMNS_OF_RDD,) if inputs else ()))),
        )
