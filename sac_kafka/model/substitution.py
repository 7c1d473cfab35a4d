"""Replace datasets of a process (a path by its table or alias, a table by its current name), or remove them as sources."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Set

from sac_kafka.model import ColumnLineage, ColumnSource, Dataset, DatasetRead, Process, distinct_reads
from sac_kafka.model.processes import merge_reads


def substitute(process: Process, tables: Mapping[str, Dataset]) -> Process:
    """Return a process with the datasets of these keys replaced by `tables`, in its column lineage too."""
    if not tables:
        return process
    return dataclasses.replace(
        process,
        inputs=_datasets(process.inputs, tables),
        outputs=_datasets(process.outputs, tables),
        columns=tuple(_lineage(c, tables) for c in process.columns),
        row_level=_sources(process.row_level, tables),
        clauses=tuple(dataclasses.replace(c, sources=_sources(c.sources, tables)) for c in process.clauses),
        run=dataclasses.replace(process.run, read=_read(process.run.read, tables)),
        versions_read=_facts(process.versions_read, tables),
        through_driver=distinct_reads(
            dataclasses.replace(r, dataset=tables.get(r.dataset.key, r.dataset)) for r in process.through_driver
        ),
        decided_by=_datasets(process.decided_by, tables),
    )


def without_sources(process: Process, keys: Set[str]) -> Process:
    """Return a process without sources of its columns and clauses in the datasets of these keys, nor metrics of reading them."""

    def others(sources: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
        return tuple(s for s in sources if s.dataset not in keys)

    return dataclasses.replace(
        process,
        columns=tuple(dataclasses.replace(c, sources=others(c.sources)) for c in process.columns),
        row_level=others(process.row_level),
        clauses=tuple(dataclasses.replace(c, sources=others(c.sources)) for c in process.clauses),
        run=dataclasses.replace(process.run, read=tuple(r for r in process.run.read if r.dataset not in keys)),
    )


def _facts(facts: Iterable[tuple[str, str]], tables: Mapping[str, Dataset]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted({(tables[key].key if key in tables else key, fact) for key, fact in facts}))


def _read(found: Iterable[DatasetRead], tables: Mapping[str, Dataset]) -> tuple[DatasetRead, ...]:
    return merge_reads(
        dataclasses.replace(each, dataset=tables[each.dataset].key) if each.dataset in tables else each
        for each in found
    )


def _datasets(datasets: Iterable[Dataset], tables: Mapping[str, Dataset]) -> tuple[Dataset, ...]:
    by_key: dict[str, Dataset] = {}
    for dataset in datasets:
        found = tables.get(dataset.key, dataset)
        if dataset.key in tables:
            by_key.setdefault(found.key, found)  # if it is also read by name, that description has more facts
        else:
            by_key[found.key] = found
    return tuple(by_key[key] for key in sorted(by_key))


def _lineage(lineage: ColumnLineage, tables: Mapping[str, Dataset]) -> ColumnLineage:
    found = tables.get(lineage.dataset)
    return dataclasses.replace(
        lineage,
        dataset=found.key if found else lineage.dataset,
        column=_column(lineage.column, found) if found else lineage.column,
        sources=_sources(lineage.sources, tables),
    )


def _sources(sources: Iterable[ColumnSource], tables: Mapping[str, Dataset]) -> tuple[ColumnSource, ...]:
    made = set()
    for s in sources:
        found = tables.get(s.dataset)
        made.add(ColumnSource(found.key, _column(s.column, found), s.dependency) if found else s)
    return tuple(sorted(made, key=lambda s: (s.dataset, s.column, s.dependency.value)))


def _column(name: str, table: Dataset) -> str:
    """Return a column's name in the spelling of the table: files and catalog may differ in case."""
    return next((c.name for c in table.columns if c.name.lower() == name.lower()), name)
