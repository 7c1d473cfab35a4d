"""The application as one process, as the Spark Atlas Connector sent it (`compat = sac`).

Its process is named by the application, so all its statements are one flow. Each says all that was read and written so
far: a server keeps the edges of an input that a later message leaves out (R14).

Source: SAC `SparkExecutionPlanProcessor`, `AtlasEntityUtils.processToEntity`.
"""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.atlas.datasets import merged
from sac_kafka.lineage.model import Dataset, Process


class WholeApplication:
    """Collects inputs and outputs of one application; used by one thread."""

    def __init__(self) -> None:
        self._inputs: dict[str, Dataset] = {}
        self._outputs: dict[str, Dataset] = {}

    def add(self, process: Process) -> Process:
        """The process with everything so far; a failed one is left as it is."""
        if process.run.failure is not None:
            return process
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
        )
