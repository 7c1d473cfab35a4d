"""A compiled Scala job with typed Datasets and the jar: its output and status are its own, its lineage is complete."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from tests.helpers.processes import environment

pytestmark = [pytest.mark.spark, pytest.mark.nightly, pytest.mark.timeout(1800)]

SPARK = Path(pyspark.__file__).parent
SOURCE = Path(__file__).with_name("TypedOrders.scala")
ORDER = {f"default.orders.{column}" for column in ("id", "customer", "amount")}
CUSTOMER = {f"default.customers.{column}" for column in ("name", "country")}
WRITES = {
    "default.doubled": ({"default.orders"}, {"id": ORDER, "customer": ORDER, "amount": ORDER}),
    "default.totals": (
        {"default.orders", "default.customers"},
        {"country": ORDER | CUSTOMER, "total": ORDER | CUSTOMER},
    ),
    "loud": (
        {"default.orders"},
        {name: {f"default.orders.{name}"} for name in ("id", "customer", "amount")}
        | {"loud": {"default.orders.customer"}},
    ),
    "from_rdd": ({"default.orders"}, {}),
    "ids": ({"default.orders"}, {"id": ORDER}),
}
"""The first write of each dataset: its inputs, and the sources of the columns that have some."""


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scala")
    compiler = [
        "java",
        "-cp",
        f"{SPARK}/jars/*",
        "scala.tools.nsc.Main",
        "-usejavacp",
        "-nowarn",
        "-d",
        str(folder / "jobs.jar"),
    ]
    subprocess.run([*compiler, str(SOURCE)], check=True)
    return folder / "jobs.jar"


def submit(jar: Path, work: Path, *options: str) -> subprocess.CompletedProcess[str]:
    work.mkdir()
    conf = ("spark.ui.enabled=false", "spark.driver.host=127.0.0.1", "spark.sql.shuffle.partitions=1")
    command = [
        str(SPARK / "bin" / "spark-submit"),
        "--master",
        "local[2]",
        *(t for c in conf for t in ("--conf", c)),
        *options,
    ]
    return subprocess.run(
        [*command, "--class", "TypedOrders", str(jar), str(work / "data")],
        env=environment(SPARK_HOME=str(SPARK)),
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )


def test_typed_datasets_have_their_lineage(jar: Path, tmp_path: Path) -> None:
    settings = {
        "spark.extraListeners": "sackafka.driver.LineageListener",
        "spark.atlas.client.type": "file",
        "spark.atlas.client.file.path": str(tmp_path / "messages"),
        "spark.atlas.metadata.namespace": "test",
        "spark.atlas.hook.spark.python": sys.executable,
        "spark.atlas.hook.spark.attach.timeout.seconds": "300",
        "spark.atlas.hook.spark.exit.timeout.seconds": "60",
    }
    command = [sys.executable, "-m", "sac_kafka.tools.cli.main"]
    driver = subprocess.run(
        [*command, "jar"], env=environment(), capture_output=True, text=True, check=True
    ).stdout.strip()
    options = [t for key, value in settings.items() for t in ("--conf", f"{key}={value}")]
    without = submit(jar, tmp_path / "without")
    ran = submit(jar, tmp_path / "with", "--jars", driver, *options)
    print(without.stderr, ran.stderr)
    assert (ran.returncode, ran.stdout) == (without.returncode, without.stdout) == (4, "totals 4\n")
    show = [*command, "show", str(tmp_path / "messages"), "--json"]
    lines = subprocess.run(show, env=environment(), capture_output=True, text=True, check=True).stdout.splitlines()
    writes: dict[str, tuple[set[str], dict[str, set[str]]]] = {}
    for line in lines:
        process = json.loads(line).get("process")
        if process and process["inputs"]:
            sources = {
                column["output"].replace("#", ".").rpartition(".")[2]: set(column["sources"])
                for column in process["columns"]
            }
            name = process["outputs"][0].rpartition("/")[2]
            writes.setdefault(name, (set(process["inputs"]), {c: s for c, s in sources.items() if s}))
    assert writes == WRITES
