"""`emit` and `register`: what is sent, what a server that cannot be reached does, threads, forks, and the end of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import sac_kafka
from sac_kafka.emitting import emission, session, source
from sac_kafka.emitting.session import close_all
from sac_kafka.errors import ConfigurationError, FlowError, NoConfigurationError
from sac_kafka.model import Outcome
from tests.helpers.processes import environment
from tests.unit.emitting.conftest import Sent

UNREACHABLE = {"kafka_bootstrap_servers": "127.0.0.1:9", "atlas.metadata.namespace": "dev"}

HEAVY = {"pyspark", "py4j", "sqlglot", "sac_kafka.lineage.extract", "sac_kafka.tools"}


def run(code: str, folder: Path) -> str:
    """Run a script in a folder and return what it prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment(), cwd=folder)
    return done.stdout


def test_a_flow_is_sent_when_emit_returns(sent: Sent) -> None:
    result = sac_kafka.emit(job="daily", inputs=["s3://raw/orders"], outputs="sales.orders", conf=sent.conf)
    assert result
    assert (result.delivered, sent.flows()) == (1, ["daily: raw/orders -> sales.orders"])


def test_a_loop_has_one_pipeline(sent: Sent) -> None:
    for name in ("a.b", "a.c", "a.b"):
        assert sac_kafka.emit(job="daily", outputs=name, conf=sent.conf)
    assert sent.flows() == ["daily: no dataset -> a.b", "daily: no dataset -> a.c", "daily: no dataset -> a.b"]
    assert [each.name for each in threading.enumerate()].count("sac-kafka-emit") == 1
    assert sac_kafka.flush().delivered == 3


def test_many_working_directories_have_few_sessions(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MAX_SESSIONS", 2)
    for number in range(5):
        (folder := sent.file.parent / str(number)).mkdir()
        monkeypatch.chdir(folder)
        sac_kafka.emit(job="daily", outputs=f"a.t{number}", conf=sent.conf, wait=0)
        assert len(session._sessions) <= 2
    close_all()
    assert sorted(sent.flows()) == [f"daily: no dataset -> a.t{number}" for number in range(5)]


def test_the_configuration_is_a_file_or_that_of_the_environment(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sent.file.parent / "conf"
    folder.mkdir()
    lines = ("atlas.client.type=file", f"atlas.client.file.path={sent.file}", "atlas.metadata.namespace=prod")
    (folder / "atlas-application.properties").write_text("\n".join(lines))
    assert sac_kafka.emit(job="daily", outputs="a.b", conf=folder)
    assert sac_kafka.emit(job="daily", outputs="a.b", conf=folder / "atlas-application.properties")
    monkeypatch.setenv("ATLAS_CONF", str(folder))
    assert sac_kafka.emit(job="daily", outputs="a.b")
    names = {each["attributes"]["qualifiedName"].partition("@")[2] for each in sent.entities("spark_table")}
    assert (names, len(sent.flows())) == ({"prod"}, 3)


@pytest.mark.parametrize(
    ("conf", "error"),
    [
        (None, "emit: no atlas-application.properties in"),
        ("/nowhere", "emit(conf=…) = /nowhere: no such file"),
        ({"client_type": "kafak"}, "the call of emit: atlas.client.type = kafak: must be one of"),
        ({"client_tpe": "file"}, "emit: conf(client_tpe=…): unknown setting; did you mean client_type?"),
        (3, "emit(conf=…): a int"),
    ],
)
def test_a_wrong_configuration_raises(sent: Sent, conf: object, error: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        sac_kafka.emit(job="daily", outputs="a.b", conf=conf)  # type: ignore[arg-type]
    assert error in str(raised.value)


def test_a_wrong_flow_raises_and_sends_nothing(sent: Sent) -> None:
    with pytest.raises(FlowError, match="outputs: 'b': a table needs its database"):
        sac_kafka.emit(job="daily", outputs="b", conf=sent.conf)
    close_all()
    assert not sent.file.exists()


def test_a_disabled_configuration_sends_nothing(sent: Sent) -> None:
    result = sac_kafka.emit(job="daily", outputs="a.b", conf={**sent.conf, "atlas.spark.enabled": "false"})
    assert (bool(result), result.problem, sent.file.exists()) == (
        False,
        "not sent: atlas.spark.enabled is false",
        False,
    )


def test_what_a_server_does_not_take_is_in_the_spool(sent: Sent) -> None:
    spool = sent.file.parent / "spool"
    result = sac_kafka.emit(job="daily", outputs="a.b", conf={**UNREACHABLE, "atlas.hook.spool.dir": str(spool)})
    assert (bool(result), result.kept, result.lost) == (False, 1, 0)
    assert "1 message kept in" in (result.problem or "")
    assert [*spool.glob("emit-*.avro")]


def test_threads_share_a_pipeline(sent: Sent) -> None:
    def emit(number: int) -> None:
        for each in range(5):
            assert sac_kafka.emit(job=f"job{number}", outputs=f"a.b{each}", conf=sent.conf)

    threads = [threading.Thread(target=emit, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    expected = [f"job{number}: no dataset -> a.b{each}" for number in range(4) for each in range(5)]
    assert sorted(sent.flows()) == sorted(expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_own_pipeline(sent: Sent) -> None:
    code = f"""
import os, sac_kafka
conf = {sent.conf}
sac_kafka.emit(job="parent", outputs="a.b", conf=conf)
child = os.fork()
sac_kafka.emit(job="child" if child == 0 else "parent", outputs="a.c", conf=conf)
if child:
    os.waitpid(child, 0)
"""
    run(code, sent.file.parent)
    assert sorted(sent.flows()) == [
        "child: no dataset -> a.c",
        "parent: no dataset -> a.b",
        "parent: no dataset -> a.c",
    ]


def test_the_end_of_the_process_delivers_what_nobody_waited_for(sent: Sent) -> None:
    code = f"import sac_kafka\nsac_kafka.emit(job='daily', outputs='a.b', conf={sent.conf}, wait=0)"
    run(code, sent.file.parent)
    assert sent.flows() == ["daily: no dataset -> a.b"]


def test_a_first_flow_at_the_exit_of_the_interpreter(sent: Sent) -> None:
    """When no thread can be started any more."""
    code = f"""
import atexit
import sac_kafka
atexit.register(lambda: print(bool(sac_kafka.emit(job='last', outputs='a.b', conf={sent.conf}))))
"""
    assert run(code, sent.file.parent) == "True\n"
    assert sent.flows() == ["last: no dataset -> a.b"]


def test_emit_loads_neither_spark_nor_a_plan(sent: Sent) -> None:
    code = f"""
import sys, sac_kafka
sac_kafka.emit(job='daily', outputs='a.b', conf={sent.conf})
print(*({HEAVY} & sys.modules.keys()))
"""
    assert run(code, sent.file.parent) == "\n"


def test_registered_datasets_have_columns_description_owner_and_tags(sent: Sent) -> None:
    columns = {"id": {"type": "bigint", "description": "The number."}}
    names = (
        "sales.orders",
        "s3://raw/orders",
        ["jdbc:postgresql://db1/shop", "sales.orders"],
        "kafka://b1:9092/orders",
    )
    described = {"columns": columns, "description": "All orders.", "owner": "sales", "tags": ["finance"]}
    assert sac_kafka.register(*({"dataset": name, **described} for name in names), conf=sent.conf)
    for kind in ("spark_table", "aws_s3_v2_directory", "rdbms_table", "kafka_topic"):
        found = [each for each in sent.entities(kind) if each["attributes"].get("description") == "All orders."]
        assert [(each["attributes"]["owner"], each["labels"]) for each in found] == [("sales", ["finance"])], kind
    assert [each["attributes"]["comment"] for each in sent.entities("spark_column")] == ["The number."]


def test_no_configuration_is_named_by_the_function(sent: Sent) -> None:
    with pytest.raises(NoConfigurationError, match="register: no atlas-application"):
        sac_kafka.register("a.b")


def test_the_queue_is_bounded(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_WAITING", 2)
    waiting: list[int] = []
    put = source.StatedSource.put

    def counted(self: source.StatedSource, outcomes: tuple[Outcome, ...]) -> None:
        put(self, outcomes)
        waiting.append(self.left)

    monkeypatch.setattr(source.StatedSource, "put", counted)
    for number in range(50):
        sac_kafka.emit(job="daily", outputs=f"a.b{number}", conf=sent.conf, wait=0)
    close_all()
    assert (len(sent.flows()), max(waiting) <= 2) == (50, True)


def test_a_session_that_is_used_is_not_ended_for_another(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MAX_SESSIONS", 1)

    def read(flow: Any, by: Any) -> Any:  # another thread needs a session between the choice of this one and its use
        monkeypatch.setattr(emission, "read_flow", read_flow)
        sac_kafka.emit(job="other", outputs="a.t", conf={**sent.conf, "atlas.metadata.namespace": "other"})
        return read_flow(flow, by)

    read_flow = emission.read_flow
    monkeypatch.setattr(emission, "read_flow", read)
    result = sac_kafka.emit(job="daily", outputs="a.b", conf=sent.conf)
    assert (result.problem, result.delivered) == (None, 1)
    assert sorted(sent.flows()) == ["daily: no dataset -> a.b", "other: no dataset -> a.t"]
    sac_kafka.emit(job="later", outputs="a.c", conf={**sent.conf, "atlas.metadata.namespace": "later"})
    assert len(session._sessions) == 1


@pytest.mark.parametrize(("engine", "type_name"), [("", "sac_kafka_engine_process"), ("Spark 4.1.0", "spark_process")])
def test_flows_have_our_own_type_if_the_setting_says_so(sent: Sent, engine: str, type_name: str) -> None:
    conf = {**sent.conf, "atlas.bridge.process.types": "own"}
    sac_kafka.emit(job="daily", inputs="a.b", outputs="a.c", engine=engine, conf=conf)
    found = [each["typeName"] for name in ("sac_kafka_engine_process", "spark_process") for each in sent.entities(name)]
    assert found == [type_name]
