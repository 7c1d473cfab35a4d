"""Measure what a bridge costs per event, by stage: `python -m benchmarks.bridge`, with `--kafka HOST:PORT` to a broker.

Clients post the events from another process. Jobs run again and again, as those of a day do: 4 events per run, 30 columns with
their sources. CPU time is that of the whole process, so the aim of 1,000 events/s on a core is 1 ms per event.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import resource
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sac_kafka.bridge.assembly import assemble, spare_collector
from sac_kafka.bridge.http_input import HttpInput, Listening
from sac_kafka.bridge.spill import SpillFile
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.open_runs import OpenRuns, Waiting
from sac_kafka.settings import Settings
from sac_kafka.settings.files.reading import Configuration

COLUMNS = 30
CONNECTIONS = 8
STATES = ("START", "RUNNING", "RUNNING", "COMPLETE")
STAGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "merge events": ("bridge/source.py:_add_run", ()),
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


def send(port: int, lines: Sequence[str]) -> None:
    """Post events over connections that stay open."""

    def post(part: Sequence[str]) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        for line in part:
            connection.request("POST", "/api/v1/lineage", line, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 201, answer.status
        connection.close()

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        [*pool.map(post, [lines[number::CONNECTIONS] for number in range(CONNECTIONS)])]


class Costs(NamedTuple):
    """CPU seconds of the process, from the first request to the last delivery, and of its threads by name."""

    total: float
    threads: Mapping[str, float]


def measure(lines: Sequence[str], conf: Mapping[str, str], profile: cProfile.Profile | None = None) -> Costs:
    """Return what a bridge costs for events; `profile` is filled with the functions of the worker."""
    settings = Settings.of(Configuration(values=conf, origins={}, found=None, source="the benchmark"))
    server = HttpInput(Listening(host="127.0.0.1", port=0))
    bridge = assemble(settings, [server], Waiting(settle=0.5))
    run = bridge.worker.run if profile is None else partial(profile.runcall, bridge.worker.run)
    worker = threading.Thread(target=run, name="worker")
    clients = get_context("spawn").Process(target=send, args=(int(server.address.rpartition(":")[2]), lines))
    before = time.process_time()
    worker.start()
    clients.start()
    while bridge.runs.counts["events"] < len(lines) or len(bridge.runs):
        time.sleep(0.1)
        assert not clients.exitcode, "the bridge has refused an event"
    assert bridge.worker.flush(60) is not None
    costs = Costs(time.process_time() - before, {name: _cpu_seconds(thread) for name, thread in _threads().items()})
    clients.join()
    bridge.worker.finish(10)
    worker.join()
    return costs


def _threads() -> Mapping[str, threading.Thread]:
    """Return the threads of the bridge: the HTTP server also parses, its helper writes the journal."""
    return {thread.name: thread for thread in threading.enumerate() if thread is not threading.main_thread()}


def _cpu_seconds(thread: threading.Thread) -> float:
    return int(Path(f"/proc/self/task/{thread.native_id}/schedstat").read_text().split()[0]) / 1e9


def shares(profile: cProfile.Profile) -> Iterator[tuple[str, float]]:
    """Yield the share of each stage in the time of the profile; the rest, such as reading the journal, is "other"."""
    times: dict[str, float] = {}
    total = 0.0
    for (file, _, name), (_, _, own, cumulative, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        total += own
        times[f"{'/'.join(Path(file).parts[-2:])}:{name}"] = cumulative
    other = 1.0
    for stage, (place, within) in STAGES.items():
        share = (times[place] - sum(times[inner] for inner in within)) / total
        other -= share
        yield stage, share
    yield "other", other


def memory_of_open_runs(number: int) -> float:
    """Return by how many MB the process grows for so many runs that have begun."""
    with TemporaryDirectory() as folder:
        runs = OpenRuns(store=SpillFile(Path(folder), 2**30))
        before = _resident_mb()
        for run in range(number):
            text = _event("START", f"{uuid.UUID(int=run)}", run, 0, COLUMNS)
            runs.add(read_event(json.loads(json.dumps(text))), float(run))
        return _resident_mb() - before


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Print the figures."""
    spare_collector()
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
        costs = measure(lines, conf)
        size = sum(map(len, lines)) / len(lines)
        print(f"{len(lines)} events of {size:,.0f} bytes: {1000 * costs.total / len(lines):.2f} ms CPU per event")
        for name, thread_seconds in costs.threads.items():
            print(f"{thread_seconds / costs.total:6.1%} thread {name}")
        profile = cProfile.Profile(time.thread_time)  # CPU time: the worker also waits
        measure(
            lines, {**conf, "atlas.client.file.path": f"{out}2", "atlas.hook.spool.dir": f"{folder}/spool2"}, profile
        )
    print("of the worker:")
    for stage, share in shares(profile):
        print(f"{share:6.1%} {stage}")


if __name__ == "__main__":
    main()
