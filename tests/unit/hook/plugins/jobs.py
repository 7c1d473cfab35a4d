"""Spark jobs with a plug-in and a connector: each function below runs in a separate process with the hook attached.

`run(function, work, classes, plugins)` starts this file with the function's name.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.helpers.processes import environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OPTIONS = {"acme.host": "db1", "acme.table": "shop.orders", "acme.password": "hunter2zX9"}


def run(
    function: Callable[..., object], work: Path, classes: Sequence[Path], plugins: Path | None = None
) -> dict[str, Any]:
    """Run a job and return its messages in order, the `stats` of the hook, and `log`."""
    known = environment()
    path = os.pathsep.join(filter(None, [str(plugins or ""), known.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, __file__, function.__name__, str(work)],
        cwd=work,
        env={**known, "PYTHONPATH": path, "SPARK_DIST_CLASSPATH": os.pathsep.join(map(str, classes))},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-9000:]
    return {**json.loads((work / "result.json").read_text()), "log": (work / "hook.log").read_text()}


def main() -> None:
    import sac_kafka
    from tests.helpers.live_runs import session
    from tests.live.spark.drivers import hook_conf

    name, work = sys.argv[1:]
    log = logging.getLogger("sac_kafka")
    log.setLevel(logging.DEBUG)
    log.addHandler(logging.FileHandler(f"{work}/hook.log"))
    conf = {**hook_conf(Path(work)), "spark.atlas.client.type": "memory"}
    spark = session(work, **conf)
    hook = sac_kafka.attach(spark)
    globals()[name](spark, work)
    flushed = hook.flush(120)
    flows = [{"inputs": f.inputs, "outputs": f.outputs, "columns": f.columns} for f in hook.lineage()]
    result = {"flushed": str(flushed), "flows": flows, "stats": hook.stats()}
    spark.stop()
    Path(work, "result.json").write_text(json.dumps(result))


# ---- the jobs


def acme(spark: SparkSession, work: str) -> None:
    """Read and write through the connector of `java/acme`."""
    provider = "com.acme.spark.AcmeProvider"
    orders = spark.read.format(provider).options(**OPTIONS).load()
    orders.selectExpr("id", "amount * 2 twice").write.parquet(f"{work}/out")
    spark.range(3).selectExpr("cast(id as int) id", "1.5D amount").write.format(provider).options(
        **{**OPTIONS, "acme.table": "shop.copied"}
    ).save()
    stated = ", ".join(f"'{k}' '{v}'" for k, v in OPTIONS.items())
    spark.sql(f"create table known using {provider} options ({stated})")
    spark.table("known").write.parquet(f"{work}/from_known")


def named(spark: SparkSession, work: str) -> None:
    """Read and write through the connectors of `java/named` and `java/moved`, which name their data themselves."""
    for package in ("named", "moved"):
        provider = f"com.acme.{package}.NamedProvider"
        options = {"password": "hunter2zX9"}
        orders = spark.read.format(provider).options(**options, **{"its.own.name": "orders"}).load()
        orders.selectExpr("id", "amount * 2 twice").write.parquet(f"{work}/{package}")
        orders.write.format(provider).options(**options, **{"its.own.name": "copied"}).mode("overwrite").save()
        spark.sql(f"create table {package} using {provider} options ('its.own.name' 'stock')")
        spark.sql(f"insert into {package} select id + 1, 1.5D from {package}")
        for name in ("fails", "slow"):
            spark.read.format(provider).option("its.own.name", name).load().write.parquet(f"{work}/{package}_{name}")

    _properties(spark, work)
    _nodes(spark, work)


def _properties(spark: SparkSession, work: str) -> None:
    """Create a table of a catalog whose properties name its dataset."""
    from tests.helpers.catalog import building

    for key, value in building.settings("memory").items():
        spark.conf.set(key, value)
    spark.sql("create namespace memory.d")
    own = "'openlineage.dataset.namespace' = 'mysql://db2:3306', 'openlineage.dataset.name' = 'shop.stock'"
    spark.sql(f"create table memory.d.t (id int) tblproperties ({own})")
    spark.sql("insert into memory.d.t values (1)")
    spark.table("memory.d.t").write.parquet(f"{work}/from_properties")


def _nodes(spark: SparkSession, work: str) -> None:
    """Use nodes of a connector's own in the plan."""
    from tests.live.spark.sleeper import of_plan

    jvm = spark.sparkContext._jvm
    packages = jvm.com.acme.named
    rules = jvm.java.util.ArrayList()
    rules.add(getattr(packages, "Node$Unwrapping")())
    as_list = jvm.scala.collection.JavaConverters.asScalaBufferConverter(rules).asScala().toList()
    getattr(spark._jsparkSession.experimental(), "extraOptimizations_$eq")(as_list)

    def plan(df: Any) -> Any:
        return df._jdf.queryExecution().analyzed()

    rows = spark.createDataFrame([(1, "a")], "id int, kind string")
    rows.write.parquet(f"{work}/in")
    events = of_plan(spark, packages.NamedInput(plan(rows), False))
    events.selectExpr("id", "upper(kind) kind").write.parquet(f"{work}/alone")
    both = of_plan(spark, packages.NamedInput(plan(spark.read.parquet(f"{work}/in")), True))
    both.write.parquet(f"{work}/both")
    of_plan(spark, packages.NamedOutput(plan(events.selectExpr("id + 1 as id"))))


if __name__ == "__main__":
    main()
