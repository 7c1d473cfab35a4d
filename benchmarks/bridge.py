"""Measure what a bridge costs per event, by stage: `python -m benchmarks.bridge`, with `--kafka HOST:PORT` to a broker.

Jobs run again and again, as those of a day do: 4 events per run, 30 columns with their sources. CPU time is that of the whole
process, so the aim of 1,000 events/s on a core is 1 ms per event.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sac_kafka.bridge.assembly import assemble
from sac_kafka.bridge.files import LinesInput
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import OpenRuns, Waiting
from sac_kafka.settings import Settings
from sac_kafka.settings.files.reading import Configuration

COLUMNS = 30
STATES = ("START", "RUNNING", "RUNNING", "COMPLETE")
STAGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "parse the JSON": ("json/decoder.py:decode", ()),
    "read and merge events": ("bridge/source.py:_add_value", ()),
    "make flows": ("openlineage/open_runs.py:_report", ()),
    "pass the stages": ("stages/process_stages.py:pass_outcomes", ()),
    "make entities": ("atlas/dialect.py:emissions", ()),
    "make messages": ("atlas/output.py:messages", ("atlas/dialect.py:emissions",)),
    "deliver": ("spool/spool.py:send", ()),
}
"""By stage the function whose time it is, with what it calls, and the other stages within it."""


def events(runs: int, jobs: int, columns: int = COLUMNS) -> Iterator[str]:
    """Yield the events of runs, those of neighbours mixed."""
    for first in range(0, runs, 10):
        for second, state in enumerate(STATES):
            for number in range(first, min(first + 10, runs)):
                yield json.dumps(_event(state, f"{uuid.UUID(int=number)}", number % jobs, second, columns))


def _event(state: str, run_id: str, job: int, second: int, columns: int) -> dict[str, Any]:
    source = {"namespace": "postgres://db1:5432", "name": f"shop.raw.t{job}"}
    names = [f"column_{number}" for number in range(columns)]
    schema = {"fields": [{"name": name, "type": "bigint"} for name in names]}
    fields = {
        name: {
            "inputFields": [{**source, "field": name, "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}]}]
        }
        for name in names
    }
    output = {"namespace": "hive://meta:9083", "name": f"mart.t{job}"}
    return {
        "eventType": state,
        "eventTime": f"2026-11-20T06:00:0{second}.000Z",
        "producer": "https://example.org/loader",
        "run": {"runId": run_id, "facets": {"processing_engine": {"name": "loader", "version": "1.0"}}},
        "job": {"namespace": "loaders", "name": f"load_{job}", "facets": {}},
        "inputs": [{**source, "facets": {"schema": schema}}],
        "outputs": [{**output, "facets": {"schema": schema, "columnLineage": {"fields": fields}}}],
    }


def measure(lines: Iterable[str], conf: Mapping[str, str]) -> float:
    """Return the CPU seconds of a bridge for events."""
    settings = Settings.of(Configuration(values=conf, origins={}, found=None, source="the benchmark"))
    bridge = assemble(settings, [LinesInput(lambda: iter(lines), "the benchmark")], Waiting(settle=0.5))
    before = time.process_time()
    bridge.worker.run()
    return time.process_time() - before


def shares(profile: cProfile.Profile) -> Iterator[tuple[str, float]]:
    """Yield the share of each stage in the time of the worker."""
    times: dict[str, float] = {}
    total = 0.0
    for (file, _, name), (_, _, own, cumulative, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        total += own
        times[f"{'/'.join(Path(file).parts[-2:])}:{name}"] = cumulative
    for stage, (place, within) in STAGES.items():
        yield stage, (times[place] - sum(times[each] for each in within)) / total


def memory_of_open_runs(number: int) -> float:
    """Return by how many MB the process grows for so many runs that have begun."""
    runs = OpenRuns()
    before = _resident_mb()
    for each in range(number):
        text = _event("START", f"{uuid.UUID(int=each)}", each, 0, COLUMNS)
        runs.add(read_event(json.loads(json.dumps(text))), float(each))
    return _resident_mb() - before


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--open", type=int, default=100_000, help="open runs whose memory is measured")
    parser.add_argument("--kafka", metavar="HOST:PORT", help="deliver to this broker")
    arguments = parser.parse_args()
    if arguments.open:
        print(f"{arguments.open} open runs: {memory_of_open_runs(arguments.open):,.0f} MB")
    lines = [*events(arguments.runs, arguments.jobs)]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "messages.jsonl"
        sink = {"atlas.client.type": "file", "atlas.client.file.path": str(out)}
        if arguments.kafka:
            sink = {"atlas.client.type": "kafka", "atlas.kafka.bootstrap.servers": arguments.kafka}
        conf = {**sink, "atlas.hook.spool.dir": f"{folder}/spool"}
        seconds = measure(lines, conf)
        size = sum(map(len, lines)) / len(lines)
        print(f"{len(lines)} events of {size:,.0f} bytes: {1000 * seconds / len(lines):.2f} ms CPU per event")
        profile = cProfile.Profile()
        with profile:
            measure(lines, {**conf, "atlas.client.file.path": f"{out}2"})
    for stage, share in shares(profile):
        print(f"{share:6.1%} {stage}")


if __name__ == "__main__":
    main()
