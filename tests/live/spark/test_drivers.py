"""Ends of drivers and their lineage: each driver is a separate process."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sac_kafka.plan import wire
from sac_kafka.plan.nodes import walk
from tests.helpers.broker import Broker
from tests.helpers.processes import environment
from tests.helpers.secret_search import used
from tests.live.spark import drivers
from tests.live.spark.drivers import SECRET, STUCK_SECONDS, Ended, hook_conf, run

pytestmark = pytest.mark.spark

used(SECRET)


def outputs(work: Path, *names: str) -> set[str]:
    return {f"file:{work}/{name}@test" for name in names}


def check(ended: Ended) -> None:
    """Check that the driver succeeded, and that the hook swallowed no errors."""
    assert ended.code == 0, ended.output
    assert ended.report["stats"]["errors"] == {}, ended.log


@pytest.mark.subset
@pytest.mark.everyday
def test_a_script_that_ends_without_stop_delivers_its_lineage(tmp_path: Path) -> None:
    ended = run(drivers.leaves_without_stop, tmp_path)
    check(ended)
    assert ended.flows() == outputs(tmp_path, "out0", "out1", "out2")
    assert "3 executions seen" in ended.log


@pytest.mark.exhaustive
def test_a_stuck_projection_costs_one_event_and_does_not_block_stop(tmp_path: Path) -> None:
    """It is held until the driver ends: a stop that waited for it would not return."""
    conf = hook_conf(
        tmp_path, hook_spark_capture_stuck_seconds=str(STUCK_SECONDS), hook_spark_capture_stop_wait_seconds="1"
    )
    ended = run(drivers.stuck, tmp_path, conf)
    check(ended)
    assert ended.flows() == outputs(tmp_path, "in", "quick")
    dropped = ended.report["stats"]["listener"]
    # The second one is given up by the end of the application, and what waits behind it.
    assert ended.log.count("capturing a query plan timed out") == dropped["dropped: projection stuck"] == 1
    assert dropped["dropped: not projected when the application ended"] >= 1, dropped


@pytest.mark.exhaustive
def test_a_stuck_projection_does_not_block_an_exit_without_stop(tmp_path: Path) -> None:
    conf = hook_conf(tmp_path, hook_spark_capture_stuck_seconds=str(STUCK_SECONDS), hook_spark_exit_timeout_seconds="3")
    ended = run(drivers.stuck_leaves_without_stop, tmp_path, conf)
    check(ended)
    assert ended.flows() == outputs(tmp_path, "in", "quick")


def test_a_forked_child_ends_at_once_and_the_parents_lineage_goes_on(tmp_path: Path) -> None:
    ended = run(drivers.forks, tmp_path)
    check(ended)
    report = ended.report
    assert (tmp_path / "child_exit").read_text() == (tmp_path / "child_os_exit").read_text() == "[False, None]"
    assert report["exit"] == report["os_exit"] == 7, report
    assert report["flush_exit"], ended.log
    assert report["flush_os_exit"], ended.log
    assert ended.flows() == outputs(tmp_path, "before", "after_exit", "after_os_exit")


def recorded(file: Path) -> Iterator[wire.Line]:
    """Return the lines of a recorded batch, without its first, the application."""
    yield from wire.read(file.read_text("utf-8").partition("\n")[2])


def test_no_secret_leaves_the_driver(tmp_path: Path) -> None:
    batches = tmp_path / "batches.txt"
    conf = hook_conf(tmp_path, hook_spark_record_path=str(batches)) | {
        "spark.app.name": f"nightly password={SECRET}",
        "spark.my.password": SECRET,
        "spark.hadoop.fs.s3a.secret.key": SECRET,
    }
    ended = run(drivers.keeps_secrets, tmp_path, conf)
    check(ended)
    assert len(ended.report["failed"]) == 8
    assert ended.report["stats"]["failed"] >= 7
    assert [each for each in ended.report["refused"] if each is None] == []
    assert ended.report["stats"]["job"] == "nightly password=********"
    report = (tmp_path / "report.json").read_text()
    names = "\n".join(str(each) for each in (tmp_path / "spool").rglob("*"))
    assert SECRET not in names
    for text in (batches.read_text(), (tmp_path / "messages.jsonl").read_text(), ended.log, report):
        assert text
        assert SECRET not in text
    assert "***" in batches.read_text()  # there was something to mask, and it was seen
    assert outputs(tmp_path, "from_jdbc", "from_shared", "named", "q", "with_options") <= ended.flows()


DEEP = {
    "spark.driver.extraJavaOptions": "-Xss1g",
    "spark.driver.memory": "3g",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""What Spark itself needs for such plans."""


@pytest.mark.exhaustive
def test_deep_and_wide_plans_keep_all_their_lineage(tmp_path: Path) -> None:
    batches = tmp_path / "batches.txt"
    ended = run(
        drivers.runs_deep_and_wide_plans,
        tmp_path,
        hook_conf(tmp_path, hook_spark_record_path=str(batches), hook_spark_capture_stuck_seconds=str(STUCK_SECONDS))
        | DEEP,
    )
    check(ended)
    report = ended.report
    print({key: report[key] for key in ("operators", "terms", "wide")})
    assert report["stats"]["listener"] == {}
    assert not [reason for reason in report["stats"]["captured"] if "column" in reason], report
    assert ended.flows() == outputs(tmp_path, "in", "operators", "terms", "in_wide", "wide")

    plans = {}
    for line in recorded(batches):
        query = getattr(line.event, "query_execution", None) if isinstance(line, wire.Projected) else None
        if query is not None and query.analyzed is not None:
            plans[query.analyzed.output_path.rpartition("/")[2]] = query.analyzed
    assert sum(1 for _ in walk(plans["operators"])) > report["operators"]["nodes"]

    columns = column_lineage(ended)
    assert columns["operators"] == {"a": ["a"], "b": ["b"]}
    assert columns["terms"] == {"c": ["a", "b"]}
    assert columns["wide"] == {f"c{i}": [f"c{i}"] for i in range(report["wide"]["columns"])}


def column_lineage(ended: Ended) -> dict[str, dict[str, list[str]]]:
    """By the last segment of what was written: each column's input columns."""
    found: dict[str, dict[str, list[str]]] = {}
    for message in ended.messages():
        for entity in message["entities"]["entities"]:
            if entity["typeName"] != "spark_column_lineage":
                continue
            related = entity["relationshipAttributes"]
            sources, outs = (
                [r["uniqueAttributes"]["qualifiedName"].rpartition("@")[0] for r in related.get(end, [])]
                for end in ("inputs", "outputs")
            )
            dataset, _, column = outs[0].partition("#")
            found.setdefault(dataset.rpartition("/")[2], {})[column] = sorted(s.partition("#")[2] for s in sources)
    return found


@pytest.mark.exhaustive
def test_jars_before_sparks_class_path_do_not_matter(tmp_path: Path) -> None:
    jar = foreign_jackson(tmp_path)
    pyspark = Path(sys.modules["pyspark"].__file__ or "").parent
    submit = [
        str(pyspark / "bin" / "spark-submit"),
        *("--master", "local[2]", "--conf", "spark.driver.userClassPathFirst=true", "--jars", str(jar)),
    ]
    ended = run(drivers.runs_below_a_foreign_class_path, tmp_path, launcher=submit)
    check(ended)
    assert "ClassFormatError" in ended.report["jackson"], ended.report
    assert ended.flows() == outputs(tmp_path, "out")


def foreign_jackson(work: Path) -> Path:
    """Make a jar whose Jackson cannot be loaded: whatever finds it first fails."""
    jar = work / "foreign.jar"
    with zipfile.ZipFile(jar, "w") as file:
        for name in (
            "databind/ObjectMapper",
            "databind/JsonNode",
            "core/JsonFactory",
            "module/scala/DefaultScalaModule",
        ):
            file.writestr(f"com/fasterxml/jackson/{name}.class", b"no class at all")
    return jar


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("executions", "sink"),
    [
        (1000, "file"),
        pytest.param(20_000, "file", marks=pytest.mark.nightly),
        pytest.param(20_000, "kafka", marks=[pytest.mark.nightly, pytest.mark.kafka]),
    ],
)
def test_thousands_of_small_executions_do_not_leak_memory(
    executions: int, sink: str, request: pytest.FixtureRequest, add_to_summary: Callable[[str], None]
) -> None:
    command = [sys.executable, "-m", "tests.live.spark.soak", str(executions)]
    if sink == "kafka":
        broker: Broker = request.getfixturevalue("broker")
        broker.create_topic("soak")
        command += [broker.bootstrap, "soak"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=1800, check=False)
    add_to_summary(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
