"""Merge the statements of an application into one process, like the Spark Atlas Connector (`compat = sac`).

The process is named after the application, so all statements form one flow. Each message contains everything read and
written so far, because Atlas keeps the edges of inputs that a later message lacks (R14). Dropped tables are omitted;
sending them would create them again.

Source: SAC `SparkExecutionPlanProcessor`, `AtlasEntityUtils.processToEntity`.
"""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import Change, ColumnRenamed, Dataset, Process, TableDefined, TableDropped, TableRenamed


class WholeApplication:
    """Collector of the inputs and outputs of one application. Not thread-safe."""

    def __init__(self) -> None:
        self._inputs: dict[str, Dataset] = {}
        self._outputs: dict[str, Dataset] = {}

    def add(self, process: Process) -> Process:
        """Return the process with all inputs and outputs so far."""
        for side, datasets in ((self._inputs, process.inputs), (self._outputs, process.outputs)):
            for dataset in datasets:
                known = side.get(dataset.key)
                side[dataset.key] = merged(dataset, known) if known else dataset
        return replace(
            process,
            inputs=tuple(self._inputs.values()),
            outputs=tuple(self._outputs.values()),
            columns=(),
            row_level=(),
            clauses=(),
            decided_by=(),
        )

    def change(self, change: Change) -> None:
        """Apply a change of a table to the collected datasets."""
        match change:
            case TableDropped(table=old):
                self._replace(old.key)
            case TableRenamed(old=old, new=new):
                self._replace(old.key, new)
            case TableDefined(table=new) | ColumnRenamed(table=new):
                self._replace(new.key, new)

    def _replace(self, key: str, *new: Dataset) -> None:
        for side in (self._inputs, self._outputs):
            if side.pop(key, None) is not None:
                side.update({each.key: each for each in new})
