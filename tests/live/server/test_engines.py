"""Other engines really run, their OpenLineage events pass a bridge, and a real Atlas shows their lineage.

Each is installed by pip, in a separate environment. Flows that are stated by `emit` arrive, too.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.tools.cli.main import main
from stack.jars import provide
from stack.ports import free_port
from tests.helpers.bridges import BridgeProcess
from tests.helpers.engines import bin_of
from tests.helpers.processes import ROOT, environment
from tests.helpers.waiting import until
from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import write_properties

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive, pytest.mark.nightly]

ENGINES = Path(__file__).parent / "engines"
EXAMPLES = ROOT / "examples" / "emit"
_TIMEOUT_SECONDS = 600
OF_THE_HOOK = ("confluent-kafka>=2.13,<3", "fastavro>=1.9,<2")


class Site:
    """A bridge into the server, with its own folder and namespace."""

    def __init__(self, server: RunningAtlas, folder: Path) -> None:
        self.server, self.folder, self.namespace = server, folder, folder.name
        settings = {
            "atlas_client_type": "kafka",
            "atlas_kafka_bootstrap_servers": server.bootstrap,
            "atlas_metadata_namespace": self.namespace,
        }
        self.bridge = BridgeProcess(folder, **settings)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.bridge.port}"

    def run(self, *command: object, **variables: str) -> None:
        done = subprocess.run(
            [*map(str, command)],
            cwd=self.folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]

    def configure(self) -> Path:
        """Return the folder with the configuration of what is stated to the server itself."""
        write_properties(self.server, self.folder, self.namespace)
        return self.folder

    def wait_for(self, *expected: str) -> dict[str, dict[str, Any]]:
        """Wait until flows have arrived; return all flows of this site, by label."""
        shown: dict[str, dict[str, Any]] = {}

        def are_there() -> bool:
            for name in self.server.rest.names("spark_process"):
                if name.endswith(f"@{self.namespace}") and (entity := self.server.rest.entity("spark_process", name)):
                    shown[entity["attributes"]["name"]] = entity
            return {*expected} <= {*shown}

        until(are_there, lambda: f"{expected}: of {sorted(shown)}", _TIMEOUT_SECONDS, lambda: len(shown))
        return shown

    def columns(self, entity: Mapping[str, Any]) -> list[str]:
        """Return the columns of a flow that have lineage, without their datasets."""
        name = entity["attributes"]["qualifiedName"]
        ends = self.server.rest.related("spark_process", name, "columnLineages")
        return sorted({each.rpartition(".")[2].rpartition("#")[2] for each in ends})


@pytest.fixture
def site(atlas_server: RunningAtlas, tmp_path: Path) -> Iterator[Site]:
    mark = atlas_server.logs.mark()
    opened = Site(atlas_server, tmp_path)
    try:
        yield opened
    finally:
        print(opened.bridge.end(signal.SIGTERM))
    atlas_server.wait_consumed()
    atlas_server.assert_no_complaints(mark)


def test_spark_3_3(site: Site) -> None:
    jar = provide("openlineage-2.12-1.53.0").class_path
    python = bin_of("spark-3.3", "pyspark==3.3.4") / "python"
    site.run(python, ENGINES / "spark_3_3.py", site.folder, jar, site.address, PYSPARK_PYTHON=str(python))
    flows = site.wait_for(
        "Daily orders: no dataset -> in/orders",
        "Daily orders: in/orders -> default.sales",
        "Daily orders: default.sales -> out/report",
    )
    assert {label: site.columns(flow) for label, flow in flows.items()} == {
        "Daily orders: no dataset -> in/orders": [],
        "Daily orders: in/orders -> default.sales": ["amount", "country", "id"],
        "Daily orders: default.sales -> out/report": ["country", "total"],
    }
    assert {flow["customAttributes"]["spark_version"] for flow in flows.values()} == {"3.3.4"}


def test_dbt(site: Site) -> None:
    """Its events and its artifacts, which `emit` reads, are the same processes."""
    bin_ = bin_of("dbt", "dbt-core<1.12", "dbt-duckdb", "openlineage-dbt")
    project = shutil.copytree(ENGINES / "dbt", site.folder / "project")
    shop = str(site.folder / "shop.duckdb")
    words = ("--project-dir", project, "--profiles-dir", project)
    variables = {"OPENLINEAGE_URL": site.address, "SHOP": shop, "PATH": f"{bin_}:{os.environ['PATH']}"}
    site.run(bin_ / "dbt-ol", "build", *words, **variables)
    flows = site.wait_for(
        "dbt model.shop.stg_orders: main.raw_orders -> main.stg_orders",
        "dbt model.shop.revenue: main.stg_orders -> main.revenue",
    )
    assert len(flows) == 2
    assert {label.partition(":")[0].rpartition(".")[2]: site.columns(flow) for label, flow in flows.items()} == {
        "stg_orders": ["amount", "customer", "order_id"],
        "revenue": ["customer", "total"],
    }
    emitted = ["--dbt", str(project / "target"), "--dbt-namespace", f"duckdb://{shop}"]
    assert main(["emit", *emitted, "--conf-dir", str(site.configure())]) == 0
    site.server.wait_consumed()
    again = site.wait_for(*flows)
    assert {label: flow["guid"] for label, flow in again.items()} == {
        label: flow["guid"] for label, flow in flows.items()
    }


def test_airflow(site: Site) -> None:
    """The events of its provider, and what our callbacks state in the DAG of the example."""
    bin_ = bin_of("airflow-3", "apache-airflow>=3.3,<3.4", "apache-airflow-providers-openlineage", *OF_THE_HOOK)
    home, conf = site.folder / "airflow", site.configure()
    dags = shutil.copytree(ENGINES / "dags", home / "dags")
    example = (EXAMPLES / "airflow_dag.py").read_text("utf-8")
    (dags / "example.py").write_text(
        example.replace('"shop_daily", schedule="@daily"', '"shop_stated", schedule="@once"')
    )
    port = free_port()
    logs = free_port(frozenset({port}))
    settings = {
        "CORE__LOAD_EXAMPLES": "False",
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "CORE__PARALLELISM": "2",
        "CORE__DEFAULT_TASK_RETRIES": "30",  # tasks fail until the API server, which starts beside the scheduler, answers
        "CORE__DEFAULT_TASK_RETRY_DELAY": "5",
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "API__HOST": "127.0.0.1",
        "API__PORT": str(port),
        "API__WORKERS": "1",
        "LOGGING__WORKER_LOG_SERVER_PORT": str(logs),
        "LOGGING__TRIGGER_LOG_SERVER_PORT": str(free_port(frozenset({port, logs}))),
        "OPENLINEAGE__TRANSPORT": f'{{"type": "http", "url": "{site.address}"}}',
    }
    variables = {
        **environment(ATLAS_CONF=str(conf), AIRFLOW_HOME=str(home), PATH=f"{bin_}:{os.environ['PATH']}"),
        **{f"AIRFLOW__{key}": value for key, value in settings.items()},
    }
    with (
        (home / "standalone.log").open("w") as log,
        subprocess.Popen(
            [bin_ / "airflow", "standalone"], env=variables, stdout=log, stderr=log, start_new_session=True, cwd=home
        ) as standalone,
    ):
        try:
            flows = site.wait_for(
                "shop_daily.load: orders/orders.csv -> sales.orders",
                "shop_daily.report: in/orders -> out/report",
                "shop_stated.load: raw/orders -> sales.orders",
                "shop_stated.report: sales.orders -> reports/orders.parquet",
            )
        except AssertionError:
            print((home / "standalone.log").read_text("utf-8")[-5000:])
            raise
        finally:
            os.killpg(standalone.pid, signal.SIGTERM)
    assert site.columns(flows["shop_daily.load: orders/orders.csv -> sales.orders"]) == ["amount"]
    assert {flow["customAttributes"]["parent_job"] for flow in flows.values()} == {"shop_daily", "shop_stated"}


def test_airflow_2(site: Site) -> None:
    """What our callbacks state; a DAG is run in one process."""
    airflow, home = bin_of("airflow-2", "apache-airflow==2.10.5", *OF_THE_HOOK) / "airflow", site.folder / "airflow"
    shutil.copytree(ENGINES / "dags_2", home / "dags")
    variables = environment(
        AIRFLOW_HOME=str(home), ATLAS_CONF=str(site.configure()), AIRFLOW__CORE__LOAD_EXAMPLES="False"
    )
    site.run(airflow, "db", "migrate", **variables)
    site.run(airflow, "dags", "test", "shop_old", "2026-11-02", **variables)
    (flow,) = site.wait_for("shop_old.load: raw/orders -> sales.orders").values()
    assert (flow["customAttributes"]["parent_job"], flow["customAttributes"]["parent_attempt"]) == ("shop_old", "1")


def test_script_without_an_engine(site: Site) -> None:
    conf = site.configure()
    (site.folder / "orders.csv").write_text("country,amount\nNL,3\n", "utf-8")
    site.run(
        sys.executable, EXAMPLES / "pandas_job.py", "orders.csv", "revenue.csv", **environment(ATLAS_CONF=str(conf))
    )
    here = site.folder.name
    (flow,) = site.wait_for(f"daily revenue: {here}/orders.csv -> {here}/revenue.csv").values()
    assert site.columns(flow) == ["amount", "country"]
