"""`import sac_kafka` is cheap: it runs in every driver, also where the hook is switched off."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import sac_kafka


def cpu_seconds(code: str) -> float:
    """The least CPU time of a few fresh interpreters: load on the machine does not count."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def test_costs_less_than_50_ms_more_than_json() -> None:
    assert cpu_seconds("import sac_kafka") - cpu_seconds("import json") < 0.05


def test_loads_neither_pyspark_nor_a_kafka_client() -> None:
    code = (
        "import sys, sac_kafka; sys.exit(bool({'pyspark', 'py4j', 'confluent_kafka', 'fastavro'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_stages_without_spark_load_neither() -> None:
    code = "import sys, sac_kafka.hook; sys.exit(bool({'pyspark', 'py4j', 'confluent_kafka', 'fastavro'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.subset
@pytest.mark.skipif("SAC_KAFKA_TEST_INSTALLED" not in os.environ, reason="set by make test, which installs the wheel")
def test_what_is_tested_is_the_installed_wheel() -> None:
    package = Path(sac_kafka.__file__).resolve().parent

    assert package.parent.name == "site-packages"
    assert (package / "spark" / "java" / "ProjectionListener.java").is_file()
    assert (package / "schemas" / "envelope.schema.json").is_file()
