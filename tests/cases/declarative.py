"""A small Declarative Pipeline as people run one: `python -m tests.cases.declarative` records it on the installed Spark."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sac_kafka import Flow
from tests.unit.launch.starting import DEFAULTS, Ran, configure, run, spark_program

RECORDED = Path(__file__).parents[1] / "fixtures" / "pipelines"
WORK = "/work-of-the-pipeline"
JOB = "daily sales"

SPECIFICATION = """\
name: {job}
storage: file://{work}/storage
libraries:
  - glob:
      include: transformations/**
"""
TABLES = """\
CREATE STREAMING TABLE raw;
CREATE FLOW load AS INSERT INTO raw BY NAME SELECT id, upper(name) AS name, amount FROM STREAM orders;
CREATE STREAMING TABLE large AS SELECT id, amount FROM STREAM raw WHERE amount > 10;
CREATE TEMPORARY VIEW named AS SELECT * FROM raw WHERE name IS NOT NULL;
CREATE MATERIALIZED VIEW totals AS SELECT name, sum(amount) AS total FROM named GROUP BY name;
"""
FUNCTIONS = """\
from pathlib import Path

from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()


@dp.temporary_view()
def orders():
    return spark.readStream.schema("id int, name string, amount double").json(str(Path(__file__).parents[2] / "in"))


@dp.materialized_view
def report():
    return spark.table("totals").selectExpr("lower(name) AS who", "total * 2 AS twice")
"""


def flows(work: str) -> list[Flow]:
    """Return what it does, by the names of what is written."""
    read = f"file:{work}/in"
    return [
        Flow(
            ("default.raw",),
            ("default.large",),
            {"default.large.amount": ("default.raw.amount",), "default.large.id": ("default.raw.id",)},
            rows="Rows filtered by amount > 10.",
        ),
        Flow(
            (read,),
            ("default.raw",),
            {f"default.raw.{name}": (f"{read}#{name}",) for name in ("amount", "id", "name")},
            expressions={"default.raw.name": ("upper(name)",)},
        ),
        Flow(
            ("default.totals",),
            ("default.report",),
            {"default.report.twice": ("default.totals.total",), "default.report.who": ("default.totals.name",)},
            expressions={"default.report.twice": ("total * 2",), "default.report.who": ("lower(name)",)},
        ),
        Flow(
            ("default.raw",),
            ("default.totals",),
            {"default.totals.name": ("default.raw.name",), "default.totals.total": ("default.raw.amount",)},
            expressions={"default.totals.total": ("sum(amount)",)},
            rows="Rows filtered by name IS NOT NULL; grouped by name.",
        ),
    ]


def make(work: Path, **settings: str) -> None:
    """Write the project, and the hook's sink: a file; dots for underscores."""
    for folder in ("transformations", "in", "conf"):
        (work / folder).mkdir()
    (work / "spark-pipeline.yml").write_text(SPECIFICATION.format(job=JOB, work=work))
    (work / "transformations" / "tables.sql").write_text(TABLES)
    (work / "transformations" / "functions.py").write_text(FUNCTIONS)
    (work / "in" / "a.json").write_text('{"id": 1, "name": "ann", "amount": 12.5}\n')
    of_connect = {key: value for key, value in DEFAULTS.items() if key != "spark.master"}  # it is the server's
    (work / "conf" / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in of_connect.items()))
    configure(work, **settings)


def run_once(work: Path, *options: str) -> Ran:
    """Return a run of it, with the hook."""
    command = [spark_program("spark-pipelines"), "run", *options]
    return run(command, work, SAC_KAFKA_AUTO="1", SPARK_CONF_DIR=str(work / "conf"))


def main() -> None:
    import pyspark

    with tempfile.TemporaryDirectory(prefix="sac_kafka-") as folder:
        work = Path(folder)
        make(work, hook_spark_record_path=str(work / "batch.txt"))
        assert run_once(work).status == 0
        RECORDED.mkdir(exist_ok=True)
        text = (work / "batch.txt").read_text("utf-8").replace(folder, WORK)
        (RECORDED / f"{pyspark.__version__}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
