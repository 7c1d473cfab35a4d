"""Spark drivers as separate processes: each function below is one, with the hook attached and messages in a file.

`run(function, work)` starts this file with the function's name, and gives what became of it.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sac_kafka
from tests.helpers.processes import environment
from tests.helpers.sessions import atlas_conf
from tests.helpers.waiting import LONG_SECONDS, until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sac_kafka.hook.hook import Hook

SECRET = "hunter2zX9"
STUCK_SECONDS = 600
PATIENT = {
    "hook_spark_exit_timeout_seconds": f"{LONG_SECONDS:g}",
    "hook_spark_capture_stop_wait_seconds": f"{LONG_SECONDS:g}",
}
"""Wait at the end until all messages are out, however long a thread has to wait for a processor."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """What became of a driver."""

    work: Path
    code: int
    output: str

    @property
    def report(self) -> dict[str, Any]:
        """What the driver's function returned, and the hook's statistics."""
        return json.loads((self.work / "report.json").read_text())

    @property
    def log(self) -> str:
        """What the hook logged."""
        return (self.work / "hook.log").read_text()

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages in the file."""
        file = self.work / "messages.jsonl"
        return [json.loads(line)["message"] for line in file.read_text().splitlines()] if file.exists() else []

    def flows(self) -> set[str]:
        """Return the names of outputs of processes."""
        return {
            output["uniqueAttributes"]["qualifiedName"]
            for message in self.messages()
            if "entities" in message  # one of an update has one entity
            for entity in message["entities"]["entities"]
            if entity["typeName"] == "spark_process"
            for output in entity["relationshipAttributes"]["outputs"]
        }


def hook_conf(work: Path, **settings: str) -> dict[str, str]:
    """Spark's configuration of a hook that writes to a file below `work`; dots for underscores in `settings`."""
    known = {
        "client_type": "file",
        "client_file_path": f"{work}/messages.jsonl",
        "metadata_namespace": "test",
        "hook_spool_dir": f"{work}/spool",
        **PATIENT,
    }
    return atlas_conf(**known | settings)


def start(
    function: Callable[..., object],
    work: Path,
    conf: Mapping[str, str] | None = None,
    *,
    launcher: Sequence[str] = (sys.executable,),
) -> subprocess.Popen[bytes]:
    """Start a separate driver that runs a function of this file; its output is in `work`/output."""
    (work / "conf.json").write_text(json.dumps(hook_conf(work) if conf is None else conf))
    with Path(work, "output").open("wb") as output:
        return subprocess.Popen(
            [*launcher, __file__, function.__name__, str(work)],
            cwd=work,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def run(
    function: Callable[..., object],
    work: Path,
    conf: Mapping[str, str] | None = None,
    *,
    launcher: Sequence[str] = (sys.executable,),
    timeout_seconds: float = 600,
) -> Ended:
    """Start it, with the configuration of `hook_conf(work)` or `conf`, and wait for its end."""
    with start(function, work, conf, launcher=launcher) as process:
        try:
            process.wait(timeout_seconds)
        finally:
            process.kill()  # one that has ended is left alone
    output = work / "output"
    text = output.read_text(errors="replace")
    output.unlink()  # what Spark itself prints of a job's data is not searched for secrets
    return Ended(work, process.returncode, text)


def main() -> None:
    from tests.helpers.live_runs import session

    name, work = sys.argv[1:]
    log = logging.getLogger("sac_kafka")
    log.setLevel(logging.DEBUG)
    log.addHandler(logging.FileHandler(f"{work}/hook.log"))
    spark = session(work, **json.loads(Path(work, "conf.json").read_text()))
    hook = sac_kafka.attach(spark)
    report = globals()[name](spark, hook, work) or {}
    if not report.pop("leave", False):
        spark.stop()
        until(lambda: not hook.is_active, seconds=2 * LONG_SECONDS)
    report["stats"] = hook.stats()
    Path(work, "report.json").write_text(json.dumps(report))


# ---- the drivers


def nothing(spark: SparkSession, hook: Hook, work: str) -> None:
    spark.range(3).write.parquet(f"{work}/out")


def leaves_without_stop(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    for i in range(3):
        spark.range(3).write.parquet(f"{work}/out{i}")
    return {"leave": True}


def writes_and_stays(spark: SparkSession, hook: Hook, work: str) -> None:
    for name in "abc":
        spark.range(3).write.parquet(f"{work}/{name}")
    until(lambda: sum(hook.stats()["messages"].values()) >= 3, hook.stats)
    Path(work, "written").touch()
    time.sleep(10 * LONG_SECONDS)


def stuck(spark: SparkSession, hook: Hook, work: str) -> None:
    from tests.live.spark.projector import age, wait_until_held
    from tests.live.spark.sleeper import hold, sleepy

    listener = hook._attachment.parts.listener  # type: ignore[union-attr]
    spark.range(3).write.parquet(f"{work}/in")
    df = spark.read.parquet(f"{work}/in")
    hold(spark)
    sleepy(spark, df).write.parquet(f"{work}/slow0")
    wait_until_held(spark, listener)
    age(spark, listener, STUCK_SECONDS)
    df.write.parquet(f"{work}/quick")
    hook.flush(LONG_SECONDS)
    sleepy(spark, df).write.parquet(f"{work}/slow1")
    wait_until_held(spark, listener)
    assert df.count() == 3


def stuck_leaves_without_stop(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    stuck(spark, hook, work)
    return {"leave": True}


def forks(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    spark.range(3).write.parquet(f"{work}/before")
    report: dict[str, Any] = {}
    for how in ("exit", "os_exit"):
        child = os.fork()
        if child == 0:  # a flush that waits does so for longer than the parent waits for the child
            Path(work, f"child_{how}").write_text(repr([bool(hook.flush(100 * LONG_SECONDS)), hook.detach()]))
            if how == "os_exit":
                os._exit(7)
            # As a child's own main function ends: exit handlers run.
            hook = spark = None  # type: ignore[assignment]
            sys.exit(7)
        report[how] = _exit_code(child)
        spark.range(3).write.parquet(f"{work}/after_{how}")
        report[f"flush_{how}"] = bool(hook.flush(LONG_SECONDS))
    return report


def _exit_code(child: int) -> int:
    """Wait for the end of a child process; fails where it does not end."""
    ended = [(0, 0)]

    def has_ended() -> bool:
        ended[0] = os.waitpid(child, os.WNOHANG)
        return ended[0] != (0, 0)

    until(has_ended, lambda: "the child does not end", seconds=3 * LONG_SECONDS)
    return os.waitstatus_to_exitcode(ended[0][1])


def keeps_secrets(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    """Write secrets in all the places where they are found; each one holds SECRET."""
    failed: list[str] = []

    def fails(action: Callable[[], object]) -> None:
        try:
            action()
        except Exception as e:  # noqa: BLE001 of whatever kind, its name is reported
            failed.append(type(e).__name__)

    url = f"jdbc:derby:memory:x;create=true;user=u;password={SECRET}"
    people = spark.createDataFrame([(1, "a")], "id int, name string")
    people.write.jdbc(url, "app_t", mode="append")
    people.write.format("jdbc").option("url", "jdbc:derby:memory:x").option("user", "u").option(
        "password", SECRET
    ).option("dbtable", "app_t2").save()
    spark.read.jdbc(url, "app_t").write.parquet(f"{work}/from_jdbc")
    reader = spark.read.format("jdbc").option("url", "jdbc:derby:memory:x").option("user", "u")
    reader.option("password", SECRET).option(
        "query", f"select 1 one from app_t where '{SECRET}' <> 'x'"
    ).load().write.csv(f"{work}/from_jdbc_query")
    spark.sql(
        f"create table jdbc_t using jdbc options (url 'jdbc:derby:memory:x', dbtable 'app_t', user 'u', password '{SECRET}')"
    )
    spark.sql(f"insert into jdbc_t select id + 1, '{SECRET}' from jdbc_t")

    shared = f"{work}/shared?sv=1&sig={SECRET}"
    people.write.parquet(shared)
    spark.read.option("header", SECRET).parquet(f"{work}/share*").write.parquet(f"{work}/from_shared")
    spark.read.parquet(shared.replace("?", "\\?")).write.mode("overwrite").parquet(f"{work}/from_shared")

    spark.sql(
        f"create table t (id int comment 'password={SECRET}', name string) using parquet "
        f"comment 'see s3a://k:{SECRET}@b/x password={SECRET}' tblproperties ('my.secret' = '{SECRET}')"
    )
    spark.sql(f"insert into t select id, '{SECRET}' from jdbc_t where concat(name, '{SECRET}') <> '' -- {SECRET}")
    spark.sql(
        f"create table shown using parquet as select lpad(name, 9, '{SECRET}') a, split(name, '{SECRET}')[0] b, "
        f"regexp_replace(name, '{SECRET}', 'x') c, map('password', '{SECRET}')['x'] d, name = '{SECRET}' e, "
        f"hex(aes_encrypt(name, repeat('{SECRET}', 2))) f, nvl(name, '{SECRET}') g, decode(name, '{SECRET}', 1) h, "
        f"name in ('{SECRET}') i from t where id is null"
    )
    spark.sql(f"create table turned using parquet as select * from t pivot (max(id) for name in ('{SECRET}' as x))")
    spark.sql(f"create table t2 using parquet comment 'password={SECRET}' as select * from t where name = \"{SECRET}\"")
    spark.sql(
        f"insert into t select length(concat(name, '{SECRET}')), upper(r'\\{SECRET}') "
        f"from (select name, concat(id, '{SECRET}') from t where name in ('{SECRET}', 'x'))"
    )
    people.selectExpr("id", f"concat(name, '{SECRET}')", f"'{SECRET}'").toDF("id", "a", "b").write.parquet(
        f"{work}/named"
    )
    spark.sql(f"with q as (select concat(name, '{SECRET}') from t) select * from q").toDF("a").write.parquet(
        f"{work}/q"
    )

    spark.conf.set("spark.sql.ansi.enabled", "true")
    fails(lambda: spark.sql(f"insert into t select cast(concat(name, '{SECRET}') as int), name from t2").collect())
    fails(lambda: people.selectExpr("cast(concat(name, name) as int) i").write.parquet(f"{work}/failed"))
    fails(lambda: people.selectExpr(f"raise_error(concat(name, '{SECRET}')) i").write.parquet(f"{work}/failed2"))
    fails(lambda: spark.sql(f"insert into t select * from nowhere where x = '{SECRET}'"))

    spark.conf.set("spark.sql.session.password", SECRET)
    spark.sql(f"set my.password={SECRET}")
    spark.sparkContext.setJobDescription(f"for Authorization: Bearer {SECRET}{SECRET}")
    logging_in = f"alter user ada identified by {SECRET}"
    begun = spark.read.format("jdbc").option("url", url).option("sessionInitStatement", logging_in)
    begun = begun.option("dbtable", f"(select 1 one from app_t /* {logging_in} */) q")
    fails(lambda: begun.load().write.parquet(f"{work}/from_begun"))
    people.write.option("topic", TOKEN).option("url", url).parquet(f"{work}/with_options")
    spark.sql(f"/* password={SECRET} */ insert into t select /*+ coalesce(1) */ id, name from t2 -- sig={SECRET}")
    spark.sql(f"comment on table t is 'the one of {TOKEN}, PASSWORD \\'{SECRET}\\'; {logging_in}'")
    spark.sql(f"alter table t set tblproperties ('note' = '{TOKEN}', 'access_key' = '{SECRET}')")
    spark.sql(f"create view v comment '{TOKEN}' as select id, '{SECRET}' s from t where name <> '{SECRET}'")
    located = f"s3a://k:{SECRET}@bucket/x?sig={SECRET}"
    fails(lambda: spark.sql(f"create table located (id int) using parquet location '{located}'"))
    fails(lambda: people.write.option("path", located).saveAsTable("saved"))
    fails(lambda: people.write.parquet(f"https://{SECRET}@host/x"))
    assert hook.flush(LONG_SECONDS)
    hook.detach()
    return {"failed": failed, "refused": [_refused(spark, each) for each in EXPOSED]}


TOKEN = f"sk-proj-{SECRET}{SECRET}"
EXPOSED: tuple[dict[str, str], ...] = (
    {"metadata_namespace": TOKEN},
    {"metadata_namespace": f"lineage:{SECRET}@host"},
    {"job_name": f"nightly password={SECRET}"},
    {"notification_hook_topic_name": TOKEN},
    {"client_type": "kafka", "kafka_bootstrap_servers": f"password={SECRET}"},
    {"client_type": "rest", "rest_address": f"https://ada:{SECRET}@127.0.0.1:1"},
)
"""Settings with a secret in what everybody would see."""


def _refused(spark: SparkSession, settings: dict[str, str]) -> str | None:
    """Why the hook does not attach with these settings."""
    hook = sac_kafka.attach(spark, **settings)
    spark.range(1).write.mode("overwrite").parquet(spark.conf.get("spark.sql.warehouse.dir") + "/refused")
    hook.flush(1)
    hook.detach()
    return hook.stats()["disabled"]


def _written_below(spark: SparkSession, hook: Hook, df: Any, path: str) -> dict[str, Any]:
    """Write, and return what the hook has counted by then."""
    df.write.parquet(path)
    hook.flush(5 * LONG_SECONDS)
    stats = hook.stats()
    return {
        "capture_seconds": stats["capture_seconds"],
        "captured": dict(stats["captured"]),
        "listener": dict(stats["listener"]),
    }


def runs_deep_and_wide_plans(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    from pyspark.sql import Column

    from tests.live.spark.sleeper import of_plan

    jvm = spark.sparkContext._jvm
    report: dict[str, Any] = {}
    spark.range(2).selectExpr("id as a", "id as b").write.parquet(f"{work}/in")
    base = spark.read.parquet(f"{work}/in")

    # Operators: nodes of a filtered plan put on top of each other, which Spark need not analyze again one by one.
    condition = base.filter("a + b > 0")._jdf.queryExecution().analyzed().condition()
    nodes = jvm.org.apache.spark.sql.catalyst.plans.logical
    plan = base._jdf.queryExecution().analyzed()
    one = base.limit(5)._jdf.queryExecution().analyzed().limitExpr()
    for i in range(1500):
        plan = nodes.GlobalLimit(one, nodes.Filter(condition, plan)) if i % 2 else nodes.Filter(condition, plan)
        plan = nodes.LocalLimit(one, plan)
    report["operators"] = {
        "nodes": 3750,
        **_written_below(spark, hook, of_plan(spark, plan), f"{work}/operators"),
    }

    terms = 3000
    total = functools.reduce(Column.bitwiseXOR, [base.a, *[base.b] * (terms - 1)])
    df = base.select(total.alias("c"))
    report["terms"] = {"terms": terms, **_written_below(spark, hook, df, f"{work}/terms")}

    wide = 1000
    spark.range(2).selectExpr(*(f"id as c{i}" for i in range(wide))).write.parquet(f"{work}/in_wide")
    df = spark.read.parquet(f"{work}/in_wide")
    for _ in range(20):
        df = df.selectExpr(*(f"c{i} + 1 as c{i}" for i in range(wide)))
    report["wide"] = {"columns": wide, "layers": 20, **_written_below(spark, hook, df, f"{work}/wide")}
    return report


def runs_below_a_foreign_class_path(spark: SparkSession, hook: Hook, work: str) -> dict[str, Any]:
    """Put a Jackson that does not work first on the class path."""
    loader = spark.sparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    try:
        jackson = str(loader.loadClass("com.fasterxml.jackson.databind.ObjectMapper"))
    except Exception as e:  # noqa: BLE001 as Py4J wraps it
        jackson = str(e)
    spark.range(3).write.parquet(f"{work}/out")
    return {"jackson": jackson}


def writes_hive_tables(spark: SparkSession, hook: Hook, work: str) -> None:
    """Tables of a remote metastore: one through its serde, one with Spark's own source, a view, a path."""
    spark.sql("create database shop")
    spark.sql("use shop")
    spark.sql("create table orders (id int, name string) partitioned by (day string) stored as textfile")
    spark.sql("insert into orders partition (day = 'mon') values (1, 'a'), (2, 'b')")
    spark.sql("create table copied stored as parquet as select id, upper(name) name from orders where day = 'mon'")
    spark.sql("alter table copied set tblproperties ('a' = 'b')")
    spark.sql("create view seen as select name from copied")
    spark.table("seen").write.mode("overwrite").json(f"{work}/out")
    spark.sql("drop view seen")


if __name__ == "__main__":
    main()
