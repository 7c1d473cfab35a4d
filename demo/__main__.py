"""Runs the demo: broker, job, consumer, comparison. `make demo` calls it.

    python -m demo [--job JOB] [--expected FILE] [--write-expected] [--messages FILE]

Exit status 0 only if what arrived on ATLAS_HOOK equals the expectation.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from demo.lineage import Lineage, read
from sac_kafka.atlas.wire.reader import read as parse
from sac_kafka.tools.graph.drawing import lines, origin_lines
from sac_kafka.tools.graph.graph import graph_of, label_graph
from sac_kafka.tools.graph.objects import flows_by_column
from sac_kafka.tools.messages.model import CatalogChange, LineageProcess
from sac_kafka.tools.messages.state import ServerState
from sac_kafka.tools.view.page import page
from stack.errors import StackError
from stack.kafka import KafkaBroker
from stack.properties import atlas_properties, login_module

HERE = Path(__file__).resolve().parent
TOPIC = "ATLAS_HOOK"
NAMESPACE = "demo"
REPORT = "lake/reports/top_customers"
_READING_SECONDS = 60.0


def main() -> int:
    """Run the demo; gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--job", type=Path, default=HERE / "job.py")
    parser.add_argument("--expected", type=Path, default=HERE / "expected.json")
    parser.add_argument("--write-expected", action="store_true", help="write what arrived as the new expectation")
    parser.add_argument(
        "--messages",
        type=Path,
        default=Path("build/demo/messages.jsonl"),
        help="where to write what arrived: %(default)s",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sac-kafka-demo-") as folder:
        work = Path(folder).resolve()
        shutil.copytree(HERE / "data", work / "data")
        try:
            with KafkaBroker(work / "kafka") as kafka:
                kafka.create_topic(TOPIC)
                say(f"Kafka is up: SASL_SSL at {kafka.bootstrap('SASL_SSL')}")
                write_properties(kafka, work / "conf")
                run_job(options.job, work)
                messages = consume(kafka.bootstrap("PLAINTEXT"))
                lineage = read(messages)
        except StackError as e:
            say(f"error: {e}")
            return 2
        outcomes = read_back(messages, work)
        show(outcomes)
        total = ", ".join(f"{n} {kind}" for kind, n in sorted(lineage.messages.items()))
        entities = ", ".join(f"{len(names)} {kind}" for kind, names in sorted(lineage.entities.items()))
        print(f"  messages: {total}\n  entities: {entities}\n")
        arrived = comparable(lineage, work)
    options.messages.parent.mkdir(parents=True, exist_ok=True)
    options.messages.write_bytes(b"".join(message + b"\n" for message in messages))
    say(f"the messages are in {options.messages}")
    if options.write_expected:
        options.expected.write_text(json.dumps(arrived, indent=1, sort_keys=True) + "\n")
        say(f"wrote {options.expected}")
        return 0
    status = compare(json.loads(options.expected.read_text()), arrived)
    shown = options.messages.with_name("lineage.html")
    shown.write_text(page(graph_of(outcomes), "make demo"), "utf-8")
    say(f"the page of it, for a browser: {shown.resolve()}")
    return status


def write_properties(kafka: KafkaBroker, folder: Path) -> None:
    """Write the one file that configures the job."""
    user, password = kafka.credentials
    plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
    folder.mkdir()
    (folder / "atlas-application.properties").write_text(
        atlas_properties(
            {
                "atlas.metadata.namespace": NAMESPACE,
                "atlas.kafka.bootstrap.servers": kafka.bootstrap("SASL_SSL"),
                "atlas.kafka.security.protocol": "SASL_SSL",
                "atlas.kafka.sasl.mechanism": "PLAIN",
                "atlas.kafka.sasl.jaas.config": login_module(plain, {"username": user, "password": password}),
                "atlas.kafka.ssl.truststore.type": "PEM",
                "atlas.kafka.ssl.truststore.location": str(kafka.ca_file),
                # All is to arrive, also where the machine is busy; a job of yours is not to wait for that.
                "atlas.hook.spark.capture.stop.wait.seconds": "60",
                "atlas.hook.spark.exit.timeout.seconds": "60",
            }
        )
    )


def run_job(job: Path, work: Path) -> None:
    """Run the job as a user would: spark-submit, and one Java option that names the folder of the properties file."""
    say(f"running {job.name} with spark-submit …")
    started = time.monotonic()
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    command = [
        str(Path(sys.executable).with_name("spark-submit")),
        "--master",
        "local[2]",
        "--driver-java-options",
        f"-Datlas.conf={work / 'conf'} -Dderby.system.home={work}",
        str(job.resolve()),
        str(work / "data"),
        str(work / "lake"),
    ]
    finished = subprocess.run(
        command, check=False, cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    for line in finished.stdout.splitlines():
        if "sac_kafka" in line or finished.returncode:
            print(f"    {line}")
    if finished.returncode:
        raise StackError(f"the job ended with status {finished.returncode}")
    say(f"the job ended with status 0 after {time.monotonic() - started:.0f} s")


def consume(bootstrap: str) -> list[bytes]:
    """Return all messages of the topic, read with a separate consumer over the other listener."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "demo", "enable.auto.commit": False})
    try:
        partition = TopicPartition(TOPIC, 0, OFFSET_BEGINNING)
        _, end = consumer.get_watermark_offsets(partition, timeout=_READING_SECONDS)
        consumer.assign([partition])
        values: list[bytes] = []
        deadline = time.monotonic() + _READING_SECONDS
        while len(values) < end:
            message = consumer.poll(max(0.0, deadline - time.monotonic()))
            if message is None:
                raise StackError(f"{TOPIC}: {len(values)} of {end} messages could be read")
            if not message.error():  # else the consumer tries again by itself
                values.append(message.value() or b"")
        return values
    finally:
        consumer.close()


def read_back(values: list[bytes], work: Path) -> list[LineageProcess | CatalogChange]:
    """Return the lineage that a server holds after them, without the folder of this run."""
    folder = f"file:{work}/".encode()
    return list(ServerState(parse(value.replace(folder, b"")).notification for value in values).items())


def show(outcomes: list[LineageProcess | CatalogChange]) -> None:
    """Draw it as `sac-kafka show` does."""
    print("\nWhat arrived on ATLAS_HOOK\n")
    for line in (line for each in outcomes for line in lines(each)):
        print(f"  {line}")
    print("Where the columns of the report come from\n")
    made = flows_by_column(label_graph(graph_of(outcomes)))
    for column in [each for each in made if each.dataset == REPORT]:
        for line in origin_lines(made, column):
            print(f"  {line}")
        print()


def comparable(lineage: Lineage, work: Path) -> dict[str, Any]:
    """Return what is compared: everything but names that hold the folder of this run (and digests made of them)."""

    def plain(name: str) -> str:
        return name.replace(f"file:{work}", "file:{work}")

    flows = [
        {
            "inputs": [plain(n) for n in flow.inputs],
            "outputs": [plain(n) for n in flow.outputs],
            "columns": {plain(o): [plain(i) for i in inputs] for o, inputs in flow.columns.items()},
        }
        for flow in lineage.flows.values()
    ]
    return {
        "messages": dict(lineage.messages),
        "entities": {kind: len(names) for kind, names in lineage.entities.items()},
        "processes": sorted(flows, key=lambda f: (f["outputs"], f["inputs"])),
    }


def compare(expected: Mapping[str, Any], arrived: Mapping[str, Any]) -> int:
    """Name every difference; gives the exit status."""
    if expected == arrived:
        say("what arrived equals the expectation ✔")
        return 0
    say("what arrived differs from the expectation (- expected, + arrived):")
    before, after = (json.dumps(x, indent=1, sort_keys=True).splitlines() for x in (expected, arrived))
    for line in difflib.unified_diff(before, after, "expected", "arrived", lineterm="", n=2):
        print(f"    {line}")
    return 1


def say(text: str) -> None:
    """Print one line about the progress of the demo."""
    print(f"demo: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
