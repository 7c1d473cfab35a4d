"""Origins of RDDs: what their rows come from, at the level of datasets; code that is no query has no columns to follow.

What a query was that an RDD was made of (`DataFrame.rdd`) was told when it was made: that names tables as a query does. Where
nobody was told, the RDDs below say which files and databases were read. What an RDD was made of that a checkpoint has cut off was
told when the checkpoint was asked for.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.columns.combining import NOTHING
from sac_kafka.lineage.columns.handed_up import Columns, OutputColumn
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.columns.stand_ins import unknown
from sac_kafka.lineage.datasets.files import Patterns
from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import Dataset, Process
from sac_kafka.lineage.model.gaps import (
    NOT_LOOKED_AT,
    OF_RDD,
    TOO_MANY_PATHS,
    TOO_MANY_RDDS,
    of_tables,
    worst_first,
)
from sac_kafka.lineage.rdds.reads import rdd_readings
from sac_kafka.plan.rdds import RddRows
from sac_kafka.plan.relations import ExternalRDD, LogicalRDD, RowsWithoutDataset

MAX_QUERIES = 1_000
"""RDDs whose query is remembered, or what they were made of before a checkpoint; the oldest is forgotten first."""

MAX_INPUTS = 1_000
"""Datasets that are kept of the rows of one RDD."""


class RddOrigins:
    """What the RDDs of an application come from; `follows` is False where nothing is asked of them."""

    def __init__(self, patterns: Patterns, counts: Counter[str], *, follows: bool = True) -> None:
        self._patterns = patterns
        self._counts = counts
        self._follows = follows
        self._by_rdd: Bounded[int, Origin] = Bounded(MAX_QUERIES)

    def made_of(self, rdd_id: int, query: Origin) -> None:
        """Remember the query that an RDD was made of, by the query's own RDD."""
        self._by_rdd[rdd_id] = query

    def checkpointed(self, rows: RddRows) -> None:
        """Remember what an RDD is made of that a checkpoint will cut off; nothing where one has already."""
        if rows.rdd_id not in rows.query_ids:
            self.made_of(rows.rdd_id, self.of_rows(rows))

    def of(self, leaf: RowsWithoutDataset) -> Origin | None:
        """What the RDD of a leaf comes from; of its columns nothing is known. None where there is no RDD to look at."""
        if not isinstance(leaf, (LogicalRDD, ExternalRDD)):
            return None
        if leaf.rows is None and (self._follows or leaf.is_streaming):
            return None
        found = self.of_rows(leaf.rows) if leaf.rows is not None else self._not_looked_at(leaf)
        sources = unknown(OF_RDD) if found.gaps else NOTHING  # rows of the driver come from no column
        columns = Columns(OutputColumn(a.expr_id, a.name, sources, type=a.type) for a in leaf.output)
        return dataclasses.replace(found, columns=columns, gaps=of_tables(found.gaps))

    def _not_looked_at(self, leaf: RowsWithoutDataset) -> Origin:
        self._counts[NOT_LOOKED_AT] += 1
        return Origin(inputs=(), columns=Columns(()), other_sources=(leaf.words,), gaps=(NOT_LOOKED_AT,))

    def of_rows(self, rows: RddRows) -> Origin:
        """What rows come from, without columns: of those that were read nobody knows what became of them."""
        inputs: dict[str, Dataset] = {}
        definitions: dict[str, Process] = {}
        versions: set[tuple[str, str]] = set()
        other_sources: set[str] = set()
        through_driver: set[tuple[str, str]] = set()
        gaps: set[str] = set()
        for found in self._parts(rows):
            other_sources.update(found.other_sources)
            through_driver.update(found.through_driver)
            versions.update(found.versions)
            gaps.update(of_tables(found.gaps))
            definitions.update({d.outputs[0].key: d for d in found.definitions})
            for dataset in found.inputs:
                if dataset.key in inputs:
                    inputs[dataset.key] = merged(inputs[dataset.key], dataset)
                elif len(inputs) < MAX_INPUTS:
                    inputs[dataset.key] = dataset
                else:
                    self._counts[TOO_MANY_PATHS] += 1
                    gaps.add(TOO_MANY_PATHS)
        if rows.is_cut:
            self._counts[TOO_MANY_RDDS] += 1
            gaps.add(TOO_MANY_RDDS)
            other_sources.add("more RDDs than are looked at")
        return Origin(
            inputs=tuple(inputs.values()),
            columns=Columns(()),
            definitions=tuple(definitions.values()),
            versions=tuple(sorted(versions)),
            other_sources=tuple(sorted(other_sources)),
            through_driver=tuple(sorted(through_driver)),
            gaps=worst_first((*gaps, *((OF_RDD,) if inputs else ()))),
        )

    def _parts(self, rows: RddRows) -> Iterator[Origin]:
        """The origins of the queries that are known, and what is read beside and below the others."""
        by_id = {query.rdd_id: query for query in rows.queries}
        seen: set[int] = set()
        waiting = [rows]
        while waiting:
            at = waiting.pop()
            yield self._read(at)
            for query in at.query_ids:
                known = self._by_rdd.get(query)
                if query in seen:
                    continue
                seen.add(query)
                if known is not None:
                    yield known
                elif query in by_id:
                    waiting.append(by_id[query])

    def _read(self, rows: RddRows) -> Origin:
        found = tuple(rdd_readings(rows.reads, self._patterns))
        for reading in found:
            self._counts.update(reading.counts)
        return Origin(
            inputs=tuple(d for r in found for d in r.datasets),
            columns=Columns(()),
            other_sources=tuple({r.other_source for r in found if r.other_source is not None}),
            gaps=worst_first(reason for r in found for reason in r.counts),
        )
