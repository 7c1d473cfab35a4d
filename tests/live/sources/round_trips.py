"""Runs the job of `jobs/round_trip.py`, and what its lineage must be."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sac_kafka import Flow
from tests.helpers import jvm
from tests.helpers.processes import ROOT, environment

JOB = Path(__file__).parent / "jobs" / "round_trip.py"
TIMEOUT_SECONDS = 1200


def run(kind: str, work: Path, conf: Mapping[str, str], python: str = sys.executable) -> None:
    """Run it to its end; `conf` is Spark's, with what the family of the source needs."""
    spark = {
        "spark.master": "local[2]",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": str(work / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Datlas.conf={work} -Dderby.system.home={work}",
        **conf,
    }
    submit = " ".join(f"--conf {key}={value!r}" for key, value in spark.items())
    done = subprocess.run(
        [python, str(JOB), kind, str(work)],
        cwd=work,
        env=environment_of(python, PYSPARK_SUBMIT_ARGS=f"{submit} pyspark-shell"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-5000:]


def environment_of(python: str, **more: str) -> dict[str, str]:
    """Return the environment of this process; for another Python its own packages, and the wheel under test."""
    if python == sys.executable:
        return environment(**more)
    path = "" if os.environ.get("SAC_KAFKA_TEST_INSTALLED") else str(ROOT)
    java = {jvm.ENVIRONMENT: jvm.options(jvm.spark_of(python))}
    return environment(PYTHONPATH=path, PYSPARK_PYTHON=python, PYSPARK_DRIVER_PYTHON=python, **java, **more)


def lake_flows(at: str, files: str, *, shows_kept: bool = True) -> list[Flow]:
    """The flows of the job over a table format: `at` is the database of the tables, `files` the folder of the paths.

    `shows_kept` is True where the columns of a changed row that are not assigned are part of what the command writes.
    """
    orders, customers, report = (f"{at}.{name}" for name in ("orders", "customers", "report"))
    new_orders, new_customers, changes = (f"{files}/in/{name}" for name in ("orders", "customers", "changes"))
    kept = ("customer", "id") if shows_kept else ()
    return [
        Flow((new_orders,), (orders,), {f"{orders}.{c}": (f"{new_orders}#{c}",) for c in ("amount", "customer", "id")}),
        Flow(
            (new_customers,),
            (customers,),
            {f"{customers}.{c}": (f"{new_customers}#{c}",) for c in ("country", "name")},
            expressions={f"{customers}.country": ("upper(country)",)},
        ),
        Flow(
            (customers, orders),
            (report,),
            {f"{report}.country": (f"{customers}.country",), f"{report}.total": (f"{orders}.amount",)},
            expressions={f"{report}.total": ("sum(amount)",)},
            rows="Rows joined by customer = name; grouped by country.",
        ),
        Flow(
            (changes, orders),
            (orders,),
            {
                f"{orders}.amount": (f"{changes}#amount",),
                **{
                    f"{orders}.{c}": (f"{changes}#{c}", *((f"{orders}.{c}",) if shows_kept else ()))
                    for c in ("customer", "id")
                },
            },
            expressions={f"{orders}.amount": ("changes.amount + 1",)},
            rows="Rows joined by orders.id = changes.id.",
        ),
        # UPDATE and DELETE: both read and write the one table, and so are one process.
        Flow(
            (orders,),
            (orders,),
            {f"{orders}.{c}": (f"{orders}.{c}",) for c in ("amount", *kept)},
            expressions={f"{orders}.amount": ("amount * 2",)},
            rows="Rows filtered by amount > 100.",
        ),
        Flow(
            (report,),
            (f"{files}/out/report",),
            {f"{files}/out/report#{c}": (f"{report}.{c}",) for c in ("country", "total")},
        ),
    ]


def database_flows(at: str, files: str) -> list[Flow]:
    """Return the flows of the job over a database: `at` is how its tables begin, with what stands before a name."""
    orders, customers, report = (f"{at}{name}" for name in ("orders", "customers", "report"))
    new_orders, new_customers = (f"{files}/in/{name}" for name in ("orders", "customers"))
    out = f"{files}/out/report"
    return [
        Flow((new_orders,), (orders,), {f"{orders}.{c}": (f"{new_orders}#{c}",) for c in ("amount", "customer", "id")}),
        Flow(
            (new_customers,), (customers,), {f"{customers}.{c}": (f"{new_customers}#{c}",) for c in ("country", "name")}
        ),
        Flow(
            (customers, orders),
            (report,),
            {f"{report}.country": (f"{customers}.country",), f"{report}.total": (f"{orders}.amount",)},
            expressions={f"{report}.total": ("sum(amount)",)},
            rows="Rows joined by customer = name; grouped by country.",
        ),
        Flow((report,), (out,), {f"{out}#{c}": (f"{report}.{c}",) for c in ("country", "total")}),
    ]
