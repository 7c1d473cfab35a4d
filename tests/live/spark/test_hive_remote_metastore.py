"""A remote Hive metastore: the tables are the Hive hook's to describe, the flows between them ours."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stack.java import find_java
from stack.ports import free_port
from tests.helpers.waiting import until
from tests.live.spark import drivers
from tests.live.spark.drivers import Ended, hook_conf, run

pyspark = pytest.importorskip("pyspark")
pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]

SERVER = "org.apache.hadoop.hive.metastore.HiveMetaStore"
STARTS_WITHIN_SECONDS = 300
OPTIONS = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "hive.metastore.schema.verification": "false",
    "hive.async.log.enabled": "false",
}


@pytest.fixture(scope="module")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URI of a separate Hive metastore, from Spark's jars, with an embedded database."""
    folder = tmp_path_factory.mktemp("metastore")
    port = free_port()
    options = {**OPTIONS, "hive.metastore.warehouse.dir": f"file:{folder}/warehouse"}
    hive_conf = [part for key, value in options.items() for part in ("--hiveconf", f"{key}={value}")]
    jars = Path(pyspark.__file__).parent / "jars" / "*"
    command = [str(find_java().path), "-Xmx512m", f"-Dderby.stream.error.file={folder}/derby.log", "-cp", str(jars)]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, SERVER, "-p", str(port), *hive_conf], cwd=folder, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        until(
            lambda: answers(port) or server.poll() is not None,
            lambda: (folder / "log").read_text()[-3000:],
            STARTS_WITHIN_SECONDS,
        )
        assert server.poll() is None, (folder / "log").read_text()[-3000:]
        yield f"thrift://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def ended(metastore: str, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    work = tmp_path_factory.mktemp("work")
    conf = {
        **hook_conf(work),
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": metastore,
        "spark.hadoop.hive.exec.scratchdir": f"{work}/scratch",
    }
    ended = run(drivers.writes_hive_tables, work, conf)
    assert ended.code == 0, ended.output
    assert ended.report["stats"]["errors"] == {}, ended.log
    return ended


def entities(ended: Ended) -> list[dict[str, Any]]:
    """Return the entities of all messages, referenced ones included."""
    found = []
    for message in ended.messages():
        of = message.get("entities", {})
        found += [*of.get("entities", []), *of.get("referredEntities", {}).values()]
    return found


def name(entity: dict[str, Any]) -> str:
    return str(entity["attributes"]["qualifiedName"])


def test_tables_are_hive_tables_without_settings(ended: Ended) -> None:
    kinds: dict[str, set[str]] = {}
    for entity in entities(ended):
        kinds.setdefault(entity["typeName"], set()).add(name(entity))
    assert kinds["hive_db"] == {"shop@test"}
    assert kinds["hive_table"] == {"shop.orders@test", "shop.copied@test", "shop.seen@test"}
    assert {"shop.orders.id@test", "shop.orders.day@test", "shop.copied.name@test"} <= kinds["hive_column"]
    assert not {kind for kind in kinds if kind.startswith(("spark_table", "spark_db", "spark_column@"))}


def flows(ended: Ended, kind: str) -> set[tuple[tuple[str, ...], ...]]:
    """Return the names of inputs and outputs of entities with such ends."""
    return {
        tuple(
            tuple(
                sorted(
                    each["uniqueAttributes"]["qualifiedName"] for each in entity["relationshipAttributes"].get(end, [])
                )
            )
            for end in ("inputs", "outputs")
        )
        for entity in entities(ended)
        if entity["typeName"] == kind
    }


def test_flows_between_hive_tables_are_reported(ended: Ended) -> None:
    assert flows(ended, "spark_process") == {
        ((), ("shop.orders@test",)),
        (("shop.orders@test",), ("shop.copied@test",)),
        (("shop.copied@test",), ("shop.seen@test",)),
        (("shop.seen@test",), (f"file:{ended.work}/out@test",)),
    }


def test_columns_have_lineage(ended: Ended) -> None:
    lineage = flows(ended, "spark_column_lineage")
    assert (("shop.orders.id@test",), ("shop.copied.id@test",)) in lineage
    assert (("shop.orders.name@test",), ("shop.copied.name@test",)) in lineage


def test_no_definitions_are_sent(ended: Ended) -> None:
    """The Hive hook defines its tables; the project must not overwrite or delete that."""
    assert {message["type"] for message in ended.messages()} == {"ENTITY_CREATE_V2"}
    for entity in entities(ended):
        if entity["typeName"] == "hive_table":
            assert set(entity["attributes"]) <= {"qualifiedName", "name"}, entity
