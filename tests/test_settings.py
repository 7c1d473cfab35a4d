"""Settings: defaults, precedence, errors, unknown keys, and the generated documentation."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from sac_kafka.config.source import Source
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings, describe
from sac_kafka.settings.page import page

ROOT = Path(__file__).parents[1]
ORIGIN = "/conf/atlas-application.properties"

DEFAULTS = {
    "enabled": True,
    "client_type": "kafka",
    "rest_enabled": False,
    "rest_address": None,
    "rest_user": None,
    "rest_password": None,
    "rest_token": None,
    "rest_ca_file": None,
    "rest_timeout_seconds": 10.0,
    "rest_body_bytes": 1_048_576,
    "client_file_path": None,
    "namespace": "primary",
    "namespace_is_default": True,
    "rest_address_key": "atlas.rest.address",
    "topic": "ATLAS_HOOK",
    "kafka_oauth_callback": None,
    "is_tls_enabled": False,
    "stores_provider_path": None,
    "provider_path": None,
    "job_name": None,
    "column_lineage": "full",
    "column_lineage_max_nodes": 100_000,
    "column_lineage_max_columns": 20_000,
    "column_lineage_max_edges": 2_000_000,
    "compat": "atlas",
    "message_form": "auto",
    "table_model": "auto",
    "path_types": "native",
    "paths_as_tables": True,
    "dataset_columns": True,
    "views": "hop",
    "labels": (),
    "custom_attributes": (),
    "classifications": (),
    "path_patterns": (),
    "query_text": "masked",
    "query_text_length": 30000,
    "plan_text": False,
    "sent_max_age_seconds": 86400.0,
    "drop_delay_seconds": 60.0,
    "handoff_events": 256,
    "queue_events": 10000,
    "queue_bytes": 33554432,
    "event_values": 500000,
    "stuck_seconds": 30.0,
    "stop_wait_seconds": 2.0,
    "projector_stack_bytes": 268435456,
    "record_path": None,
    "attach_timeout_seconds": 30.0,
    "exit_timeout_seconds": 5.0,
    "durability": "on-failure",
    "spool_enabled": True,
    "spool_dir": None,
    "spool_max_bytes": 268435456,
    "spool_catalog_max_age_seconds": 3600.0,
    "spool_sync": False,
    "spool_retry_ms": 30000,
    "spool_batch_records": 100,
    "spool_rollover_seconds": 60.0,
    "spool_archive_dir": None,
    "spool_archive_max_files": None,
    "spool_pause_seconds": 0.0,
    "message_max_bytes": 900000,
    "message_compression": True,
    "message_max_entities": 1_000,
    "kafka_client": "auto",
    "kafka": {},
    "jaas": {},
    "source": Source("/conf/atlas-application.properties"),
    "repeated": (),
}


def read(**properties: str) -> Settings:
    return Settings.read({key.replace("_", "."): value for key, value in properties.items()}, ORIGIN)


def test_defaults() -> None:
    settings = read()
    assert {field.name: getattr(settings, field.name) for field in fields(Settings)} == DEFAULTS


@pytest.mark.parametrize(
    ("key", "text", "name", "value"),
    [
        ("atlas.spark.enabled", "FALSE", "enabled", False),
        ("atlas.client.type", "Memory", "client_type", "memory"),
        ("atlas.notification.hook.topic.name", " T ", "topic", "T"),
        ("atlas.hook.spark.job.name", "daily orders", "job_name", "daily orders"),
        ("atlas.hook.spark.column.lineage", "off", "column_lineage", "off"),
        ("atlas.hook.spark.path.patterns", r"run-\d{1,3},v\d+", "path_patterns", (r"run-\d{1,3}", r"v\d+")),
        ("atlas.hook.spark.query.text", "verbatim", "query_text", "verbatim"),
        ("atlas.hook.spark.query.text.max.length", "0", "query_text_length", 0),
        ("atlas.hook.spark.capture.handoff.events", "1", "handoff_events", 1),
        ("atlas.hook.spark.capture.queue.events", "5", "queue_events", 5),
        ("atlas.hook.spark.capture.queue.bytes", "2000000", "queue_bytes", 2000000),
        ("atlas.hook.spark.capture.event.values", "1000", "event_values", 1000),
        ("atlas.hook.spark.capture.stuck.seconds", "1.5", "stuck_seconds", 1.5),
        ("atlas.hook.spark.capture.stop.wait.seconds", "0", "stop_wait_seconds", 0.0),
        ("atlas.hook.spark.capture.stack.bytes", "1048576", "projector_stack_bytes", 1048576),
        ("atlas.hook.spark.record.path", "/tmp/r", "record_path", "/tmp/r"),
        ("atlas.hook.spark.attach.timeout.seconds", "10", "attach_timeout_seconds", 10.0),
        ("atlas.hook.spark.exit.timeout.seconds", ".5", "exit_timeout_seconds", 0.5),
        ("atlas.hook.spark.durability", "Spool-First", "durability", "spool-first"),
        ("atlas.hook.spool.enabled", "false", "spool_enabled", False),
        ("atlas.hook.spool.dir", "/spool", "spool_dir", "/spool"),
        ("atlas.hook.spark.spool.max.bytes", "65536", "spool_max_bytes", 65536),
        ("atlas.hook.spark.spool.catalog.max.age.seconds", "60", "spool_catalog_max_age_seconds", 60.0),
        ("atlas.hook.spark.spool.sync", "true", "spool_sync", True),
        ("atlas.hook.spool.destination.retry.ms", "5000", "spool_retry_ms", 5000),
        ("atlas.hook.spool.destination.message.batchsize", "10", "spool_batch_records", 10),
        ("atlas.hook.spool.file.rollover.sec", "5", "spool_rollover_seconds", 5.0),
        ("atlas.hook.spool.archive.dir", "/archive", "spool_archive_dir", "/archive"),
        ("atlas.hook.spool.archive.max.files", "7", "spool_archive_max_files", 7),
        ("atlas.hook.spool.pause.before.send.sec", "60", "spool_pause_seconds", 60.0),
        ("atlas.notification.message.max.length.bytes", "10000", "message_max_bytes", 10000),
        ("atlas.hook.spark.message.max.entities", "1", "message_max_entities", 1),
        ("atlas.hook.spark.compat", "SAC", "compat", "sac"),
        ("atlas.hook.spark.message.form", "v1", "message_form", "v1"),
        ("atlas.hook.spark.table.model", "hive", "table_model", "hive"),
        ("atlas.hook.spark.path.types", "generic", "path_types", "generic"),
        ("atlas.hook.spark.path.as.table", "false", "paths_as_tables", False),
        ("atlas.hook.spark.dataset.columns", "false", "dataset_columns", False),
        ("atlas.hook.spark.views", "through", "views", "through"),
        ("atlas.hook.spark.labels", "nightly, team-a", "labels", ("nightly", "team-a")),
        ("atlas.hook.spark.custom.attributes", "run=7,team=a b", "custom_attributes", (("run", "7"), ("team", "a b"))),
        ("atlas.hook.spark.classifications", "PII", "classifications", ("PII",)),
        ("atlas.spark.plan.enabled", "true", "plan_text", True),
        ("atlas.hook.spark.sent.max.age.seconds", "0", "sent_max_age_seconds", 0.0),
        ("atlas.hook.spark.drop.delay.seconds", "5", "drop_delay_seconds", 5.0),
    ],
)
def test_a_key_sets_its_field(key: str, text: str, name: str, value: object) -> None:
    assert getattr(Settings.read({key: text}, ORIGIN), name) == value


@pytest.mark.parametrize(
    ("properties", "namespace", "is_default"),
    [
        ({}, "primary", True),
        ({"atlas.cluster.name": "c"}, "c", False),
        ({"atlas.cluster.name": "c", "atlas.metadata.namespace": "n"}, "n", False),
        ({"atlas.cluster.name": "c", "atlas.metadata.namespace": " "}, "c", False),
        ({"atlas.metadata.namespace": "a,b"}, "b", False),
        ({"atlas.metadata.namespace": "primary"}, "primary", False),
    ],
)
def test_the_namespace_falls_back_to_the_cluster_name(
    properties: dict[str, str], namespace: str, is_default: bool
) -> None:
    settings = Settings.read(properties, ORIGIN)
    assert (settings.namespace, settings.namespace_is_default) == (namespace, is_default)


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("atlas.spark.enabled", "yes", "true or false"),
        ("atlas.client.type", "kafak", "kafka, rest, file, console, memory"),
        ("atlas.hook.spark.column.lineage", "all", "direct, full, off"),
        ("atlas.hook.spark.path.patterns", "a(", "regular expression"),
        ("atlas.hook.spark.capture.handoff.events", "0", "from 1 to"),
        ("atlas.hook.spark.capture.queue.events", "10k", "integer"),
        ("atlas.notification.message.max.length.bytes", "9999", "from 10000 to"),
        ("atlas.hook.spark.query.text.max.length", "30001", "from 0 to 30000"),
        ("atlas.hook.spark.table.model", "delta", "auto, spark, hive"),
        ("atlas.hook.spark.exit.timeout.seconds", "5s", "without a unit"),
        ("atlas.hook.spark.exit.timeout.seconds", "-1", "from 0 to 600"),
    ],
)
def test_a_wrong_value_names_file_key_value_and_what_is_allowed(key: str, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.read({key: text}, ORIGIN)
    message = str(caught.value)
    for expected in (ORIGIN, key, text, said):
        assert expected in message


def test_a_secret_in_a_wrong_value_is_not_shown() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.read({"atlas.client.type": "https://u:hunter2@x?password=hunter2"}, ORIGIN)
    assert "hunter2" not in str(caught.value)


def test_kafka_settings_lose_their_prefix_and_show_no_secret() -> None:
    settings = Settings.read(
        {"atlas.kafka.bootstrap.servers": "h:1", "atlas.kafka.sasl.jaas.config": "hunter2"}, ORIGIN
    )
    assert dict(settings.kafka) == {"bootstrap.servers": "h:1", "sasl.jaas.config": "hunter2"}
    assert "hunter2" not in repr(settings)
    with pytest.raises(TypeError):
        settings.kafka["x"] = "y"  # type: ignore[index]


def test_an_error_names_the_line_that_sets_the_key() -> None:
    with pytest.raises(ConfigurationError, match=r"^/f, line 3: atlas\.spark\.enabled = maybe: must be true or false"):
        Settings.read({"atlas.spark.enabled": "maybe"}, ORIGIN, {"atlas.spark.enabled": "/f, line 3"})


def test_a_password_is_in_no_repr() -> None:
    keys = ("atlas.rest.basic.auth.password", "atlas.hook.spark.rest.token", "atlas.jaas.KafkaClient.option.password")
    settings = Settings.read(dict.fromkeys(keys, "hunter2"), ORIGIN)
    assert (settings.rest_password, settings.rest_token) == ("hunter2", "hunter2")
    assert settings.jaas["KafkaClient.option.password"] == "hunter2"
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("key", "text", "reference"),
    [
        ("atlas.metadata.namespace", "a-${env:STAGE}", "${env:STAGE}"),
        ("atlas.hook.spool.dir", "${sys:spool.dir}/x", "${sys:spool.dir}"),
        ("atlas.hook.spark.job.name", "${env:JOB}", "${env:JOB}"),
        ("atlas.hook.spark.spool.sync", "${env:SYNC}", "${env:SYNC}"),
        ("atlas.rest.address", "https://${env:ATLAS}", "${env:ATLAS}"),
        ("atlas.rest.basic.auth.password", "hunter2${env:PASSWORD}", "${env:PASSWORD}"),
        ("atlas.hook.rest.notification.enabled", "${env:REST}", "${env:REST}"),
    ],
)
def test_a_variable_that_is_not_set_is_one_error(key: str, text: str, reference: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.read({"atlas.client.type": "rest", key: text}, ORIGIN, {key: "/f, line 3"})
    assert str(caught.value) == f"/f, line 3: {key}: {reference} is not set; set it, or write the value out"


def test_a_variable_of_a_server_that_nothing_goes_to_need_not_be_set() -> None:
    keys = ("atlas.rest.address", "atlas.rest.basic.auth.password")
    settings = Settings.read(dict.fromkeys(keys, "${env:ATLAS}"), ORIGIN)
    assert (settings.rest_address, settings.rest_password) == (None, None)


def test_text_that_no_message_can_hold_is_one_error() -> None:
    with pytest.raises(ConfigurationError, match=r"atlas\.metadata\.namespace: holds half of a surrogate pair"):
        Settings.read({"atlas.metadata.namespace": "a\ud83d"}, ORIGIN)


@pytest.mark.parametrize(
    ("key", "first", "both", "name", "value"),
    [
        ("atlas.spark.enabled", "false", "false,true", "enabled", False),
        ("atlas.client.type", "rest", "rest,kafka", "client_type", "rest"),
        ("atlas.hook.spark.message.max.entities", "7", "7,8", "message_max_entities", 7),
        ("atlas.hook.spark.exit.timeout.seconds", "1", "1,2", "exit_timeout_seconds", 1.0),
        ("atlas.hook.spool.dir", "/a", "/a,/b", "spool_dir", "/a"),
        ("atlas.hook.spark.job.name", "x,y", "x,y,z", "job_name", "x,y"),
        ("atlas.notification.hook.topic.name", "T", "T,U", "topic", "T"),
        ("atlas.metadata.namespace", "a", "a,b", "namespace", "b"),
        ("atlas.hook.spark.labels", "a", "a,b", "labels", ("a", "b")),
        ("atlas.hook.spark.classifications", "a", "a,b", "classifications", ("a", "b")),
        ("atlas.hook.spark.custom.attributes", "a=1", "a=1,b=2", "custom_attributes", (("a", "1"), ("b", "2"))),
        ("atlas.hook.spark.path.patterns", "a", "a,b", "path_patterns", ("a", "b")),
        ("atlas.rest.address", "http://a", "http://a,http://b", "rest_address", "http://a,http://b"),
    ],
)
def test_of_a_key_that_is_set_twice_the_first_value_counts_but_for_lists(
    key: str, first: str, both: str, name: str, value: object
) -> None:
    assert (
        getattr(Settings.read({key: both}, ORIGIN, repeated={key: (first, both.removeprefix(f"{first},"))}), name)
        == value
    )


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().topic = "x"  # type: ignore[misc]


def test_every_setting_is_documented_once() -> None:
    keys = [key for setting in describe() for key in setting.keys]
    assert len(keys) == len(set(keys))
    for setting in describe():
        assert setting.doc.endswith(".")
        assert "|" not in setting.doc + setting.kind.name + setting.default


def test_the_documentation_is_not_stale() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert text == page(), "run: python -m sac_kafka.settings > docs/configuration.md"


def test_the_module_prints_the_documentation() -> None:
    command = [sys.executable, "-m", "sac_kafka.settings"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout == page()


def test_importing_settings_and_transports_loads_no_kafka_client() -> None:
    code = (
        "import sys, sac_kafka, sac_kafka.settings, sac_kafka.transport.factory, sac_kafka.transport.kafka.transport\n"
        "from sac_kafka.transport.factory import make_transport\n"
        "make_transport(sac_kafka.settings.Settings(kafka={'bootstrap.servers': 'h:1'}))\n"
        "assert not {'confluent_kafka', 'pyspark', 'py4j'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("labels", "two words", "label 'two words' must have 1 to 50 letters"),
        ("labels", "x" * 51, "must have 1 to 50"),
        ("custom.attributes", "run.id=7", "key 'run.id' must have 1 to 50 letters"),
        ("custom.attributes", "run", "'run' must be key=value"),
        ("custom.attributes", f"run={'x' * 501}", "at most 500 characters"),
        ("classifications", "1st", "'1st' is no name of a classification"),
    ],
)
def test_r21_what_a_server_would_refuse_is_refused_at_start(key: str, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read(**{f"atlas.hook.spark.{key}": text})
