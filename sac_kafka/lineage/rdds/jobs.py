"""Make a process for each successful RDD job that writes: between datasets, without columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.rdds.origins import RddOrigins
from sac_kafka.lineage.rdds.reads import written_datasets
from sac_kafka.lineage.runs.attribution import Attribution
from sac_kafka.model import Application, Dataset, Process, Run
from sac_kafka.model.bounds import Bounded
from sac_kafka.names.files import Patterns
from sac_kafka.plan.errors import failure_text
from sac_kafka.plan.rdds import RddJobStart, SparkListenerJobEnd

MAX_OPEN = 1_000
"""Jobs remembered until they end."""

_OTHERS = "RDD jobs without a known output"
_MISSED = "RDD jobs that ended before they were inspected"


class RddJobs:
    """The running RDD jobs of an application, from their start to their end events.

    Args:
        failed_too: Also yield the processes of failed jobs.
        unreported: Called for each job whose output is not understood, with the reason.
    """

    def __init__(
        self,
        attribution: Attribution,
        origins: RddOrigins,
        patterns: Patterns,
        counts: Counter[str],
        *,
        failed_too: bool = False,
        unreported: Callable[[Application, str], None] = lambda _application, _reason: None,
    ) -> None:
        self._attribution = attribution
        self._origins = origins
        self._patterns = patterns
        self._counts = counts
        self._failed_too = failed_too
        self._unreported = unreported
        self._open: Bounded[int, tuple[RddJobStart, Dataset, Origin]] = Bounded(MAX_OPEN)
        self._not_understood: Bounded[int, tuple[RddJobStart, str]] = Bounded(MAX_OPEN)

    def start(self, event: RddJobStart) -> None:
        """Add a job that has started; its input and output are known from then on."""
        passed_by = {_OTHERS: event.others, _MISSED: event.missed}
        self._counts.update({what: times for what, times in passed_by.items() if times})
        if event.is_of_model:
            self._counts["RDD jobs that write a part of a model"] += 1
            return
        outputs = () if event.written is None else written_datasets(event.written, self._patterns)
        if not outputs:
            what = event.written.format.rpartition(".")[2] if event.written is not None else ""
            reason = f"output of an RDD not understood: {what or 'unknown'}"
            self._not_understood[event.job_id] = (event, reason)
            self._counts[reason] += 1
        elif event.rows is not None:
            self._open[event.job_id] = (event, outputs[0], self._origins.origin_of_rdd(event.rows))

    def end(self, event: SparkListenerJobEnd) -> Iterator[tuple[Process, tuple[Process, ...]]]:
        """Yield the process of a job that has ended, with the definitions of the views that it read."""
        not_understood = self._not_understood.pop(event.job_id, None)
        if not_understood is not None and event.failure is None:
            start, reason = not_understood
            self._unreported(self._attribution.application_of(properties=start.properties), reason)
        started = self._open.pop(event.job_id, None)
        if started is None:
            return
        self._counts["RDD jobs"] += 1
        if event.failure is not None:
            self._counts["RDD jobs failed"] += 1
            if not self._failed_too:
                return
        start, output, origin = started
        run = Run(
            execution_id=None,
            jobs=(event.job_id,),
            started_ms=start.time,
            ended_ms=event.time,
            failure=None if event.failure is None else failure_text(event.failure),
        )
        process = Process(
            application=self._attribution.application_of(properties=start.properties),
            run=run,
            inputs=tuple(sorted(origin.inputs, key=lambda d: d.key)),
            outputs=(output,),
            other_sources=origin.other_sources,
            versions_read=origin.versions,
            through_driver=origin.through_driver,
            gaps=origin.gaps,
        )
        yield process, origin.definitions
