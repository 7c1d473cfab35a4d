"""With nothing but the file of Microsoft's page lineage leaves in the dialect purview; again and the next day it is the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from tests.helpers.processes import environment
from tests.helpers.sessions import atlas_conf
from tests.helpers.spooled import kept, texts
from tests.live.purview import stand_ins
from tests.live.purview.assets import DAY, SPARK, gen2_files, gen2_set
from tests.live.purview.expecting import flow, lines
from tests.live.purview.reading import Shown, shown
from tests.unit.launch.starting import PATIENT
from tests.unit.purview.judge import problems

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]
SERVER = "atlas-00000000-1111-2222-3333-444444444444.servicebus.windows.net"
KEY = "SharedAccessKeyName=AlternateSharedAccessKey;SharedAccessKey=bm90LWEta2V5"
PAGE = f"""\
atlas.client.type=kafka
atlas.kafka.bootstrap.servers={SERVER}:9093
atlas.kafka.security.protocol=SASL_SSL
atlas.kafka.sasl.mechanism=PLAIN
atlas.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
username="$ConnectionString" password="Endpoint=sb://{SERVER}/;{KEY}";
"""
"""The file as on Microsoft's page; the values are invented, and no such server exists."""

EXPECTED = (
    flow({gen2_set("raw/orders/{day}"): "id, amount > total"}, gen2_set("curated/orders/{day}")),
    flow({gen2_set("raw/orders/{day}"): "id, customer, amount, day"}, gen2_files(f"curated/report/{DAY}/{SPARK}")),
    flow({gen2_set("raw/orders/{day}"): "customer"}, gen2_set("curated/customers")),
)
COUNTED = "count"
"""The column of the last one that comes from no input."""


@dataclass(frozen=True)
class Run:
    """The messages of a run: in the file that messages go to, or in the spool."""

    messages: list[Mapping[str, Any]]
    log: str

    @property
    def shown(self) -> Shown:
        return shown(self.messages)


def _run(work: Path, name: str, day: str, properties: str) -> subprocess.CompletedProcess[str]:
    """Run the job of a day with a properties file, and a temporary directory of the system for it alone."""
    conf, temporary = work / f"conf-{name}", work / f"tmp-{name}"
    for folder in (conf, temporary):
        folder.mkdir()
    (conf / "atlas-application.properties").write_text(properties)
    done = subprocess.run(
        [sys.executable, "-m", "tests.live.purview.again_job", str(work), day],
        cwd=work,
        env=environment(
            SPARK_DIST_CLASSPATH=stand_ins.class_path(),
            PYSPARK_SUBMIT_ARGS=f"--driver-java-options '-Datlas.conf={conf}' pyspark-shell",
            TMPDIR=str(temporary),
        ),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Return a day's run and its repetition, both into files, and the next day's with the page's file, into the spool."""
    work, found, before = tmp_path_factory.mktemp("again"), {}, 0
    file = work / "messages.json"
    into = f"atlas.hook.spark.dialect=purview\natlas.hook.spool.dir={work}/spool\n"
    into += f"atlas.client.type=file\natlas.client.file.path={file}\n"
    into += "".join(f"{key.removeprefix('spark.')}={value}\n" for key, value in atlas_conf(**PATIENT).items())
    for name in ("first", "again"):
        done = _run(work, name, "2026-11-20", into)
        messages = [json.loads(line) for line in file.read_text().splitlines()]
        found[name] = Run(messages[before:], done.stderr)
        before = len(messages)
    done = _run(work, "page", "2026-11-21", PAGE)
    (spool,) = (work / "tmp-page").glob("sac-kafka-*")
    found["page"] = Run([json.loads(text) for text in texts(kept(spool))], done.stderr)
    return found


def _without_counted(run: Shown) -> Iterable[str]:
    return [line for line in lines(run.flows) if not line.endswith(f"{COUNTED} <- * *")]


def test_the_pages_file_alone_makes_it_the_dialect_of_purview(runs: Mapping[str, Run]) -> None:
    """The server does not exist: the messages wait in the spool."""
    run = runs["page"]
    assert _without_counted(run.shown) == lines(EXPECTED)
    wrong = [each for message in run.messages for each in problems(json.dumps(message))]
    assert not wrong, "\n".join(wrong)
    assert "bm90LWEta2V5" not in run.log + json.dumps(run.messages)


def test_the_same_day_again_costs_one_flow(runs: Mapping[str, Run]) -> None:
    """The first message of a driver shows that messages go where the earlier run's went; the others are omitted."""
    first, again = runs["first"].shown, runs["again"].shown
    assert (len(first.processes), len(runs["again"].messages)) == (len(EXPECTED), 1)
    assert again.processes.items() <= first.processes.items()


def test_the_next_days_folders_are_the_same_flows(runs: Mapping[str, Run]) -> None:
    """Partitions `day=…` and folders `2026/11/21`: the names of processes and assets are those of the day before."""
    first, next_day = runs["first"].shown, runs["page"].shown
    assert next_day.processes == first.processes
    assert next_day.entities == first.entities
