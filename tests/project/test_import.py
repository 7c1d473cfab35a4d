"""`import sac_kafka` is cheap: it runs in every driver, also where the hook is switched off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sac_kafka


def test_loads_of_the_package_only_itself_and_its_version() -> None:
    """So it costs what `import typing` costs, however large the package is."""
    code = (
        "import sys, sac_kafka; print(*sorted(name for name in sys.modules if name.partition('.')[0] == 'sac_kafka'))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.split() == ["sac_kafka", "sac_kafka.version"]


def test_loads_neither_pyspark_nor_a_kafka_client() -> None:
    code = "import sys, sac_kafka; sys.exit(bool({'pyspark', 'py4j', 'confluent_kafka', 'fastavro', 'rich'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_the_stages_without_spark_load_neither() -> None:
    heavy = "{'pyspark', 'py4j', 'confluent_kafka', 'fastavro', 'rich'}"
    code = f"import sys, sac_kafka.hook.hook; sys.exit(bool({heavy} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.subset
@pytest.mark.skipif("SAC_KAFKA_TEST_INSTALLED" not in os.environ, reason="set by make test, which installs the wheel")
def test_tests_use_the_installed_wheel() -> None:
    package = Path(sac_kafka.__file__).resolve().parent

    assert package.parent.name == "site-packages"
    assert (package / "spark" / "java" / "ProjectionListener.java").is_file()
    assert (package / "atlas" / "typedefs" / "1050-spark.json").is_file()
