"""Mount table of Databricks: read only if it exists, within a deadline, and without its keys."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.model import PathDataset
from sac_kafka.names.aliases import Aliases
from sac_kafka.purview.names.paths import asset
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings import Settings
from sac_kafka.spark.mounts import MAX_MOUNTS, is_databricks, read_mounts, without_keys
from tests.helpers.fake_driver import FakeDriver

CONF = {"spark.databricks.workspaceUrl": "adb-1.2.azuredatabricks.net"}
MOUNTS = (
    ("/mnt/raw", "wasbs://raw@acct.blob.core.windows.net"),
    ("/mnt/new", "abfss://new@acct.dfs.core.windows.net/a"),
)


class Sequence:
    """A Seq of Scala's, as Py4J shows one."""

    def __init__(self, *mounts: tuple[str, str]) -> None:
        self._mounts = mounts

    def size(self) -> int:
        return len(self._mounts)

    def apply(self, i: int) -> Any:
        point, source = self._mounts[i]
        return SimpleNamespace(mountPoint=lambda: point, source=lambda: source)


class Missing:
    """A Java package that does not exist: names in it can be written, but not called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing()

    def __call__(self, *arguments: object) -> Any:
        raise TypeError("'JavaPackage' object is not callable")


def context(*, holder: Any = None, entry_point: Any = None, utilities: Any = None) -> Any:
    """Return a SparkContext with the utilities of a runtime."""
    v1 = SimpleNamespace(DBUtilsHolder=holder or Missing(), impl=SimpleNamespace(DbfsUtilsImpl=utilities or Missing()))
    jvm = SimpleNamespace(com=SimpleNamespace(databricks=SimpleNamespace(dbutils_v1=v1)))
    return SimpleNamespace(_jvm=jvm, _gateway=SimpleNamespace(entry_point=entry_point or Missing()))


def utilities(*mounts: tuple[str, str]) -> Any:
    return SimpleNamespace(fs=lambda: SimpleNamespace(mounts=lambda: Sequence(*mounts)))


def of_older_runtime(*arguments: object) -> Any:
    if arguments:
        raise TypeError("no such constructor")
    return SimpleNamespace(mounts=lambda: Sequence(*MOUNTS))


RUNTIMES = {
    "the documented holder": context(holder=SimpleNamespace(dbutils=lambda: utilities(*MOUNTS))),
    "the holder, of another thread": context(
        holder=SimpleNamespace(dbutils=lambda: None), entry_point=SimpleNamespace(getDbutils=lambda: utilities(*MOUNTS))
    ),
    "the entry point of notebooks": context(entry_point=SimpleNamespace(getDbutils=lambda: utilities(*MOUNTS))),
    "the class behind it": context(utilities=lambda _: SimpleNamespace(mounts=lambda: Sequence(*MOUNTS))),
    "the same, without an argument": context(utilities=of_older_runtime),
}


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_mounts_of_a_runtime_are_read(runtime: str) -> None:
    assert read_mounts(RUNTIMES[runtime], CONF) == MOUNTS


def test_mounts_are_not_read_on_other_platforms() -> None:
    class Untouchable:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"looked up {name}")

    assert read_mounts(Untouchable(), {"spark.app.name": "x"}) == ()
    assert is_databricks({"spark.databricks.clusterUsageTags.clusterName": "c"})


def test_a_runtime_without_any_of_them_has_no_mounts() -> None:
    assert read_mounts(context(), CONF) == ()


def test_closed_gateway_has_no_mounts() -> None:
    assert read_mounts(SimpleNamespace(), CONF) == ()


def test_attach_does_not_wait_for_an_unresponsive_workspace() -> None:
    answered = threading.Event()
    waiting = context(holder=SimpleNamespace(dbutils=answered.wait))
    try:
        assert read_mounts(waiting, CONF, seconds=0.05) == ()
    finally:
        answered.set()


def test_number_of_mounts_is_bounded() -> None:
    many = [(f"/mnt/{i}", "s3a://b") for i in range(MAX_MOUNTS + 1)]
    found = read_mounts(context(holder=SimpleNamespace(dbutils=lambda: utilities(*many))), CONF)
    assert len(found) == MAX_MOUNTS


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("s3a://AKIA:planted/key@lake/raw", "s3a://lake/raw"),
        ("s3a://AKIA:planted@key@lake", "s3a://lake"),
        ("wasbs://raw@acct.blob.core.windows.net/a?sv=1&sig=planted", "wasbs://raw@acct.blob.core.windows.net/a"),
        ("wasbs://raw@acct.blob.core.windows.net", "wasbs://raw@acct.blob.core.windows.net"),
        ("abfss://raw@acct.dfs.core.windows.net/a@b", "abfss://raw@acct.dfs.core.windows.net/a@b"),
        ("DatabricksRoot", "DatabricksRoot"),
        ("databricks-results?sig=planted", "databricks-results"),
    ],
)
def test_keys_in_addresses_are_removed(source: str, expected: str) -> None:
    assert without_keys(source) == expected


def test_no_key_reaches_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    runtime = context(holder=SimpleNamespace(dbutils=lambda: utilities(("/mnt/a", "s3a://AKIA:planted@lake"))))
    assert read_mounts(runtime, CONF) == (("/mnt/a", "s3a://lake"),)
    assert "planted" not in caplog.text


def settings(tmp_path: Path, **keys: str) -> Settings:
    given = {"atlas.client.type": "memory", "atlas.hook.spool.dir": str(tmp_path)}
    return Settings.read({**given, **{f"atlas.hook.spark.{key}": text for key, text in keys.items()}}, "test")


@pytest.mark.parametrize(("dialect", "is_read"), [("purview", True), ("atlas", False)])
def test_mounts_are_read_only_for_purview(dialect: str, is_read: bool, tmp_path: Path) -> None:
    driver = FakeDriver(CONF, mounts=MOUNTS)
    assemble(driver, settings(tmp_path, dialect=dialect), Guard()).dismantle(Guard())
    assert ("mounts" in driver.calls) is is_read


def test_user_alias_precedes_the_mount_table() -> None:
    shown = PathDataset(path="dbfs:/mnt/raw/orders", format="parquet", locations=("dbfs:/mnt/raw/orders/2026-11-21",))
    aliased = Aliases((("dbfs:/mnt/raw", "abfss://lake@acct.dfs.core.windows.net/raw"),)).resolve
    dataset = PathDataset(path=aliased(shown.path), format="parquet", locations=tuple(map(aliased, shown.locations)))
    found = asset(dataset, NamingContext(mounts=MOUNTS), is_output=False)
    expected = "https://acct.dfs.core.windows.net/lake/raw/orders/{Year}-{Month}-{Day}/{SparkPartitions}"
    assert found.qualified_name == expected
    assert asset(shown, NamingContext(mounts=MOUNTS), is_output=False).type_name == "azure_blob_resource_set"
