"""Assembly of a hook with a fake driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import AttachError, ConfigurationError, SacKafkaError
from sac_kafka.guard import Guard
from sac_kafka.hook.application import application_of, identity, warn
from sac_kafka.hook.assembly import assemble
from sac_kafka.hook.capture import listener_settings
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.session_settings import read_settings
from sac_kafka.lineage.runs.attribution import PythonProcess
from sac_kafka.lineage.runs.identity import Identity
from sac_kafka.settings import Settings
from sac_kafka.settings.names import Names
from sac_kafka.settings.sinks import ClientType, Sinks
from sac_kafka.spark.listener import GoneError
from sac_kafka.spark.session import Metastore
from sac_kafka.transport.sinks.memory import MemoryTransport
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.fake_driver import FakeDriver, FakeListener
from tests.helpers.messages import names, validated
from tests.helpers.workers import batch


def settings_in(tmp_path: Path, **keys: str) -> Settings:
    given = {"atlas.client.type": "memory", "atlas.hook.spool.dir": str(tmp_path), "atlas.metadata.namespace": "test"}
    return Settings.read({**given, **{f"atlas.hook.spark.{key}": text for key, text in keys.items()}}, "test")


def sent(parts: Parts) -> list[dict]:
    assert isinstance(parts.destinations[0].spool.wrapped, MemoryTransport)
    return validated(value for record in parts.destinations[0].spool.wrapped.records for value in record.values)


def test_assembled_hook_works(tmp_path: Path) -> None:
    driver = FakeDriver(listener=FakeListener(batch("join")))
    parts = assemble(driver, settings_in(tmp_path), Guard())
    parts.worker.run()

    assert driver.calls == ["session", "metastore", "listen"]
    assert len(names(sent(parts), "spark_process")) == 1
    assert parts.stats({})["messages"]["delivered"] == 2  # a flow, and the message at the end
    assert parts.stats({})["job"] == "orders"


@pytest.mark.parametrize(
    ("fails", "closed", "detached"),
    [("session", False, False), ("metastore", False, False), ("listen", True, False), ("recorder", True, True)],
)
def test_failed_step_undoes_the_earlier_ones(
    fails: str, closed: bool, detached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spools: list[Spool] = []
    monkeypatch.setattr(Spool, "close", lambda spool, _: spools.append(spool))
    driver = FakeDriver(fails={fails: AttachError("planted")})
    keys = {"record.path": str(tmp_path / "no" / "file")} if fails == "recorder" else {}
    with pytest.raises(SacKafkaError, match=r"record\.path" if fails == "recorder" else "planted"):
        assemble(driver, settings_in(tmp_path, **keys), Guard())

    assert (len(spools) == 1, driver.listener.is_detached) == (closed, detached)


def test_invalid_sink_settings_leave_nothing_to_undo(tmp_path: Path) -> None:
    driver = FakeDriver()
    with pytest.raises(ConfigurationError, match=r"atlas\.client\.file\.path"):
        assemble(driver, Settings.read({"atlas.client.type": "file"}, "test"), Guard())

    assert "listen" not in driver.calls


@pytest.mark.planted
def test_parts_are_dismantled_even_without_the_jvm(tmp_path: Path) -> None:
    class Gone(FakeListener):
        def detach(self) -> None:
            raise GoneError("detach: connection refused")

    guard = Guard()
    parts = assemble(FakeDriver(listener=Gone()), settings_in(tmp_path), guard)
    parts.destinations[0].spool.close = lambda _: 1 // 0  # type: ignore[method-assign,assignment,return-value]
    parts.dismantle(guard)

    assert guard.counts == {"detach: ZeroDivisionError": 1}


@pytest.mark.parametrize(
    ("metastore", "looks_up"),
    [
        (Metastore(), True),
        (Metastore(is_local=False), False),
        (Metastore(uris="thrift://hive:9083", is_local=False), False),
    ],
)
def test_catalog_is_looked_up_only_without_remote_calls(metastore: Metastore, looks_up: bool, tmp_path: Path) -> None:
    driver = FakeDriver(metastore=metastore)
    assemble(driver, settings_in(tmp_path), Guard()).dismantle(Guard())

    assert driver.settings is not None
    assert driver.settings.looks_up_catalog is looks_up


def test_patterns_of_spark_for_secrets_reach_the_listener(tmp_path: Path) -> None:
    conf = {"spark.redaction.regex": "(?i)pin", "spark.sql.redaction.string.regex": "[0-9]{16}"}
    driver = FakeDriver(conf)
    assemble(driver, settings_in(tmp_path), Guard()).dismantle(Guard())

    assert driver.settings is not None
    assert (driver.settings.redact_keys, driver.settings.redact_values) == (("(?i)pin",), ("[0-9]{16}",))


# ---- the application


def test_the_application_has_the_name_of_its_job() -> None:
    session = FakeDriver().session()
    application = application_of(session, Names())
    assert (application.name, application.job) == ("orders 2026-11-21", "orders")
    assert application_of(session, Names(job_name="daily_orders")).job == "daily_orders"


def test_the_platform_names_a_job_that_no_setting_names() -> None:
    platform = Identity(job="Daily orders/load", facts=(("platform", "databricks"), ("run_id", "5")))
    application = application_of(FakeDriver(name="Databricks Shell").session(), Names(), platform)
    assert (application.job, application.facts) == ("Daily orders/load", platform.facts)
    session = FakeDriver().session()
    assert application_of(session, Names(job_name="daily_orders"), platform).job == "daily_orders"
    assert application_of(session, Names(), Identity(facts=platform.facts)).job == "orders"


@pytest.mark.parametrize(("name", "warnings"), [(None, 1), ("daily_orders", 0)])
def test_warns_about_an_unstable_job_name_unless_a_setting_names_the_job(
    name: str | None, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    known = {"spark.databricks.workspaceUrl": "adb-1.2.example.net", "spark.databricks.job.id": "42"}
    found = identity(PythonProcess(name="Databricks Shell", known=known), Names(job_name=name))
    assert found.job == "job 42"
    assert [m for m in caplog.messages if "named by its number" in m] == caplog.messages
    assert len(caplog.messages) == warnings


def test_a_job_that_was_chosen_is_known_as_such() -> None:
    session = FakeDriver().session()
    assert application_of(session, Names(job_name="daily_orders")).is_job_chosen
    assert application_of(session, Names(), Identity(job="Daily orders/load")).is_job_chosen
    assert not application_of(session, Names(), Identity()).is_job_chosen


def test_secret_in_the_application_name_is_masked() -> None:
    session = FakeDriver(name="load jdbc:postgresql://bob:hunter2@db/x password=hunter2").session()
    assert "hunter2" not in repr(application_of(session, Names()))


# ---- its settings


def test_a_working_directory_that_was_removed_holds_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    driver = FakeDriver({"spark.atlas.client.type": "memory"})
    found = read_settings(driver, {"atlas.hook.spark.job.name": "daily"})

    assert (found.sink.client_type, found.names.job_name) == (ClientType.MEMORY, "daily")
    assert found.source.text.endswith("(no file)")


@pytest.mark.parametrize(
    ("text", "record", "literals"),
    [
        ("verbatim", None, True),
        ("verbatim", "/tmp/batch", False),
        ("masked", "/tmp/batch", False),
        ("masked", None, False),
    ],
)
def test_recording_has_no_literals(text: str, record: str | None, literals: bool, tmp_path: Path) -> None:
    settings = settings_in(tmp_path, **{"query.text": text, **({"record.path": record} if record else {})})
    options = listener_settings(settings.content, settings.driver, {}, looks_up_catalog=True)
    assert options.literals is literals


@pytest.mark.parametrize("installed", [True, False])
def test_database_queries_are_captured_if_sqlglot_is_installed(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sac_kafka.hook.capture.is_installed", lambda: installed)
    settings = Settings()
    options = listener_settings(settings.content, settings.driver, {}, looks_up_catalog=True)
    assert ("postgresql" in options.foreign_kinds) is installed
    assert ("foreign.kind\tmysql text" in options.text("")) is installed


@pytest.mark.parametrize("kind", ClientType)
def test_warns_about_the_default_namespace_if_names_reach_a_server(
    kind: ClientType, caplog: pytest.LogCaptureFixture
) -> None:
    warn(Settings(sink=Sinks(client_type=kind)), application_of(FakeDriver().session(), Names()))
    assert ("atlas.metadata.namespace is not set" in caplog.text) == (
        kind not in (ClientType.CONSOLE, ClientType.FILE, ClientType.MEMORY)
    )


OFF = {"spark.atlas.spark.enabled": "false"}
MEMORY = {"spark.atlas.client.type": "memory"}


@pytest.mark.parametrize("version", ["3.3.4", "3.4.2", "2.4.7.7.1.7.2000-305"])
@pytest.mark.parametrize("conf", [MEMORY, {}, {"spark.atlas.client.type": "nonsense"}])
def test_spark_that_is_too_old_is_the_reason_before_anything_is_loaded(
    version: str, conf: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    driver = FakeDriver(conf, spark_version=version)
    with pytest.raises(AttachError) as caught:
        read_settings(driver, {})
    assert str(caught.value) == f"Spark {version} is too old: use Spark 3.5 to 4.3"
    assert "listen" not in driver.calls


def test_disabled_hook_says_nothing_of_an_old_spark() -> None:
    assert not read_settings(FakeDriver(MEMORY | OFF, spark_version="3.3.4"), {}).sink.enabled


@pytest.mark.parametrize(
    ("version", "more"), [("5.0.1", "; Spark 5.0.1 is newer than the tested versions 3.5 to 4.3"), ("4.3.1", "")]
)
def test_newer_spark_is_named_if_the_listener_does_not_start(version: str, more: str, tmp_path: Path) -> None:
    driver = FakeDriver(fails={"listen": AttachError("no class X")}, spark_version=version)
    with pytest.raises(AttachError) as caught:
        assemble(driver, settings_in(tmp_path), Guard())
    assert str(caught.value) == f"no class X{more}"


def test_connector_in_the_same_driver_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    listener = "com.hortonworks.spark.atlas.SparkAtlasEventTracker"
    keys = dict.fromkeys(("spark.extraListeners", "spark.sql.queryExecutionListeners"), listener)
    read_settings(FakeDriver(MEMORY | keys), {})
    assert [each.getMessage().partition(" (")[0] for each in caplog.records] == [
        "the Spark Atlas Connector runs in this driver as well"
    ]
    caplog.clear()
    read_settings(FakeDriver(MEMORY | keys | OFF), {})
    assert caplog.records == []
