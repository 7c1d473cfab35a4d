"""The application as one process, as the Spark Atlas Connector sent it (`compat = sac`).

Its process is named by the application, so all its statements are one flow. Each says all that was read and written so
far: a server keeps the edges of an input that a later message leaves out (R14). What was dropped is not said again, or
it would be there again.

Source: SAC `SparkExecutionPlanProcessor`, `AtlasEntityUtils.processToEntity`.
"""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.lineage.merging import merged
from sac_kafka.lineage.model import Change, ColumnRenamed, Dataset, Process, TableDefined, TableDropped, TableRenamed


class WholeApplication:
    """Collects inputs and outputs of one application; used by one thread."""

    def __init__(self) -> None:
        self._inputs: dict[str, Dataset] = {}
        self._outputs: dict[str, Dataset] = {}

    def add(self, process: Process) -> Process:
        """The process with everything so far."""
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
        """Follow what happens to the tables."""
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
