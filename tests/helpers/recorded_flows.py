"""What every recorded batch means, as the outputs of a hook get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from sac_kafka.hook import recording
from sac_kafka.hook.pipeline import Pipeline
from sac_kafka.hook.pipeline_options import lineage_options, pipeline_options
from sac_kafka.hook.recording import Recording
from sac_kafka.hook.spark_events import SparkEvents
from sac_kafka.settings import Settings
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.live_runs import APPLICATION

FIXTURES = Path(__file__).parents[1] / "fixtures"
_FOLDERS = ("batches", "hive", "kafka", "streams", "sources", "pipelines")
BATCHES = sorted(
    path for folder in _FOLDERS for path in FIXTURES.joinpath(folder).rglob("*.txt") if path.read_bytes()[:1] == b"["
)
SETTINGS = Settings.read({"atlas.metadata.namespace": "test"}, "test")


def recorded_steps(path: Path, settings: Settings = SETTINGS) -> Iterator[ScheduledOutcome]:
    """Yield the scheduled outcomes of a recorded batch."""
    text = path.read_text("utf-8")
    is_whole = text.startswith('["application"')
    recorded = recording.read_recording(path) if is_whole else Recording(APPLICATION, text)
    context = recording.context_of_recording(recorded.application, settings)
    pipeline = Pipeline(pipeline_options(context, settings), clock=lambda: 0)
    events = SparkEvents(pipeline, lineage_options(context, settings), lambda _: nullcontext())
    for line in filter(None, recorded.text.split("\n")):
        yield from events.run(line)
    yield from pipeline.drain()
    yield from events.end()
