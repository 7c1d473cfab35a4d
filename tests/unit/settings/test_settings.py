"""Settings: defaults, precedence, errors, unknown keys, and the generated documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from operator import attrgetter
from pathlib import Path

import pytest

from dev.configuration import page
from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_line
from sac_kafka.settings import SUBJECTS, Settings, describe
from sac_kafka.settings.arguments import keyword_of, properties_of
from sac_kafka.settings.classifications import Classification, ValidityPeriod
from sac_kafka.settings.declarations.choices import (
    ColumnLineageMode,
    Compat,
    Durability,
    MessageForm,
    PathTypes,
    QueryText,
    ReportForm,
    TableModel,
    Views,
)
from sac_kafka.settings.declarations.declaring import declared_settings
from sac_kafka.settings.files.source import SettingsSource
from sac_kafka.settings.files.unknown_keys import RETIRED, unknown_keys
from sac_kafka.settings.sinks import ClientType
from tests.helpers.every_row import every_row

ROOT = Path(__file__).parents[3]
ORIGIN = "/conf/atlas-application.properties"


def read(**properties: str) -> Settings:
    return Settings.read({key.replace("_", "."): value for key, value in properties.items()}, ORIGIN)


def test_without_settings_the_defaults_apply() -> None:
    assert read() == Settings(source=SettingsSource(ORIGIN))


def test_documented_default_equals_the_default() -> None:
    for _, subject in SUBJECTS:
        for name, each in declared_settings(subject):
            default = each.default.strip("`")
            if default and " " not in default and not default.startswith("<") and name != "archive_max_files":
                assert each.value(each.keys[0], default, ORIGIN) == getattr(subject(), name), each.keys[0]


@every_row(
    ("key", "text", "name", "value"),
    [
        ("atlas.spark.enabled", "FALSE", "sink.enabled", False),
        ("atlas.client.type", "Memory", "sink.client_type", ClientType("memory")),
        ("atlas.hook.spark.report", "JSON", "metrics.report", ReportForm.JSON),
        ("atlas.hook.spark.metrics.file.mode", "0640", "metrics.file_mode", 0o640),
        ("atlas.hook.spark.metrics.file.mode", "644", "metrics.file_mode", 0o644),
        ("atlas.notification.hook.topic.name", " T ", "sink.topic", "T"),
        ("atlas.hook.spark.job.name", "daily orders", "names.job_name", "daily orders"),
        ("atlas.hook.spark.column.lineage", "off", "content.column_lineage", ColumnLineageMode("off")),
        ("atlas.hook.spark.catalog.names", "ic=lake, glue = lake", "names.catalog_names", (("ic", "lake"), ("glue", "lake"))),
        ("atlas.hook.spark.path.patterns", r"run-\d{1,3},v\d+", "names.path_patterns", (r"run-\d{1,3}", r"v\d+")),
        ("atlas.hook.spark.path.kept", "env=*, tenant={uuid}", "names.path_kept", ("env=*", "tenant={uuid}")),
        ("atlas.hook.spark.path.folded", "batch-*,v??", "names.path_folded", ("batch-*", "v??")),
        ("atlas.hook.spark.query.text", "verbatim", "content.query_text", QueryText("verbatim")),
        ("atlas.hook.spark.query.text.max.length", "0", "content.query_text_length", 0),
        ("atlas.hook.spark.capture.queue.events", "5", "driver.queue_events", 5),
        ("atlas.hook.spark.capture.queue.bytes", "2000000", "driver.queue_bytes", 2000000),
        ("atlas.hook.spark.capture.event.values", "1000", "driver.event_values", 1000),
        ("atlas.hook.spark.capture.stuck.seconds", "1.5", "driver.stuck_seconds", 1.5),
        ("atlas.hook.spark.capture.stop.wait.seconds", "0", "driver.stop_wait_seconds", 0.0),
        ("atlas.hook.spark.record.path", "/tmp/r", "driver.record_path", "/tmp/r"),
        ("atlas.hook.spark.attach.timeout.seconds", "10", "driver.attach_timeout_seconds", 10.0),
        ("atlas.hook.spark.exit.timeout.seconds", ".5", "driver.exit_timeout_seconds", 0.5),
        ("atlas.hook.spark.durability", "Spool-First", "spool.durability", Durability("spool-first")),
        ("atlas.hook.spool.enabled", "false", "spool.enabled", False),
        ("atlas.hook.spool.dir", "/spool", "spool.dir", "/spool"),
        ("atlas.hook.spark.spool.max.bytes", "65536", "spool.max_bytes", 65536),
        ("atlas.hook.spark.spool.catalog.max.age.seconds", "60", "spool.catalog_max_age_seconds", 60.0),
        ("atlas.hook.spark.spool.sync", "true", "spool.sync", True),
        ("atlas.hook.spool.destination.retry.ms", "5000", "spool.retry_ms", 5000),
        ("atlas.hook.spool.destination.message.batchsize", "10", "spool.batch_records", 10),
        ("atlas.hook.spool.file.rollover.sec", "5", "spool.rollover_seconds", 5.0),
        ("atlas.hook.spool.archive.dir", "/archive", "spool.archive_dir", "/archive"),
        ("atlas.hook.spool.archive.max.files", "7", "spool.archive_max_files", 7),
        ("atlas.notification.message.max.length.bytes", "10000", "content.message_max_bytes", 10000),
        ("atlas.hook.spark.message.max.entities", "1", "content.message_max_entities", 1),
        ("atlas.hook.spark.compat", "SAC", "names.compat", Compat("sac")),
        ("atlas.hook.spark.message.form", "v1", "content.message_form", MessageForm("v1")),
        ("atlas.hook.spark.table.model", "hive", "content.table_model", TableModel("hive")),
        ("atlas.hook.spark.path.types", "generic", "names.path_types", PathTypes("generic")),
        (
            "atlas.hook.spark.path.aliases",
            "dbfs:/mnt/raw/ = s3a://raw, s3:// = s3a://",
            "names.path_aliases",
            (("dbfs:/mnt/raw", "s3a://raw"), ("s3://", "s3a://")),
        ),
        ("atlas.hook.spark.path.as.table", "false", "names.paths_as_tables", False),
        ("atlas.hook.spark.dataset.columns", "false", "content.dataset_columns", False),
        ("atlas.hook.spark.views", "through", "content.views", Views("through")),
        ("atlas.hook.spark.labels", "nightly, team-a", "content.labels", ("nightly", "team-a")),
        ("atlas.hook.spark.custom.attributes", "run=7,team=a b", "content.custom_attributes", (("run", "7"), ("team", "a b"))),
        ("atlas.hook.spark.classifications", "PII", "content.classifications", (Classification("PII"),)),
        (
            "atlas.hook.spark.classifications",
            "PII(level=high, days=30)[propagate=false, 2026-01-01/2027-01-01T06:30:00 Europe/Berlin, /2030-01-01], A b",
            "content.classifications",
            (
                Classification(
                    "PII",
                    (("level", "high"), ("days", "30")),
                    propagates=False,
                    periods=(
                        ValidityPeriod("2026/01/01 00:00:00", "2027/01/01 06:30:00", "Europe/Berlin"),
                        ValidityPeriod("", "2030/01/01 00:00:00", "GMT"),
                    ),
                ),
                Classification("A b"),
            ),
        ),
        ("atlas.spark.plan.enabled", "true", "content.plan_text", True),
        ("atlas.hook.spark.sent.max.age.seconds", "0", "content.sent_max_age_seconds", 0.0),
        ("atlas.hook.spark.drop.delay.seconds", "5", "content.drop_delay_seconds", 5.0),
    ],
)  # fmt: skip
def test_a_key_sets_its_field(key: str, text: str, name: str, value: object) -> None:
    assert attrgetter(name)(Settings.read({key: text}, ORIGIN)) == value


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
    assert (settings.names.namespace, settings.names.namespace_is_default) == (namespace, is_default)


@pytest.mark.parametrize(
    ("key", "text", "allowed"),
    [
        ("atlas.spark.enabled", "yes", "true or false"),
        *(
            ("atlas.hook.spark.metrics.file.mode", text, "must be 600, 640, 644, 660 or 664: ")
            for text in ("666", "700", "0o640", "u=rw", "4", "640x")
        ),
        ("atlas.client.type", "kafak", "must be one of kafka, rest, purview, openlineage, file, console, "),
        ("atlas.hook.spark.column.lineage", "all", "direct, full, off"),
        ("atlas.hook.spark.catalog.names", "lake", "must be SPARK_CATALOG=NEW_NAME"),
        ("atlas.hook.spark.catalog.names", "ic=a.b", "must be SPARK_CATALOG=NEW_NAME"),
        ("atlas.hook.spark.path.patterns", "a(", "regular expression"),
        ("atlas.hook.spark.path.kept", "lake/env=*", "write only the segment"),
        ("atlas.hook.spark.path.kept", "batch-[0-9]+", "write one glob per name"),
        ("atlas.hook.spark.path.kept", "{name}", "write one glob per name"),
        ("atlas.hook.spark.path.kept", "^a$", "write one glob per name"),
        ("atlas.hook.spark.path.kept", "a" * 256, "at most 255"),
        ("atlas.hook.spark.path.folded", ",".join(map(str, range(101))), "at most 100"),
        ("atlas.hook.spark.path.folded", "a,*", "write a more specific glob"),
        ("atlas.hook.spark.path.folded", "a\\\\d", "write one glob per name"),
        ("atlas.hook.spark.capture.queue.events", "0", "from 1 to"),
        ("atlas.hook.spark.capture.queue.events", "10k", "integer"),
        ("atlas.notification.message.max.length.bytes", "9999", "from 10000 to"),
        ("atlas.hook.spark.query.text.max.length", "30001", "from 0 to 30000"),
        ("atlas.hook.spark.table.model", "delta", "auto, spark, hive"),
        ("atlas.hook.spark.exit.timeout.seconds", "5s", "without a unit"),
        ("atlas.hook.spark.exit.timeout.seconds", "-1", "from 0 to 600"),
    ],
)
def test_a_wrong_value_names_file_key_value_and_what_is_allowed(key: str, text: str, allowed: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.read({key: text}, ORIGIN)
    message = str(caught.value)
    for expected in (ORIGIN, key, text, allowed):
        assert expected in message


def test_a_secret_in_a_wrong_value_is_not_shown() -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.read({"atlas.client.type": "https://u:hunter2@x?password=hunter2"}, ORIGIN)
    assert "hunter2" not in str(caught.value)


def test_kafka_settings_lose_their_prefix_and_show_no_secret() -> None:
    settings = Settings.read(
        {"atlas.kafka.bootstrap.servers": "h:1", "atlas.kafka.sasl.jaas.config": "hunter2"}, ORIGIN
    )
    assert dict(settings.kafka.properties) == {"bootstrap.servers": "h:1", "sasl.jaas.config": "hunter2"}
    assert "hunter2" not in repr(settings)
    with pytest.raises(TypeError):
        settings.kafka.properties["x"] = "y"  # type: ignore[index]


def test_an_error_names_the_line_that_sets_the_key() -> None:
    with pytest.raises(ConfigurationError, match=r"^/f, line 3: atlas\.spark\.enabled = maybe: must be true or false"):
        Settings.read({"atlas.spark.enabled": "maybe"}, ORIGIN, {"atlas.spark.enabled": "/f, line 3"})


def test_a_password_is_in_no_repr() -> None:
    keys = ("atlas.rest.basic.auth.password", "atlas.hook.spark.rest.token", "atlas.jaas.KafkaClient.option.password")
    settings = Settings.read(dict.fromkeys(keys, "hunter2"), ORIGIN)
    assert (settings.rest.password, settings.rest.token) == ("hunter2", "hunter2")
    assert settings.kafka.jaas["KafkaClient.option.password"] == "hunter2"
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


def test_variable_of_an_unused_server_may_be_unset() -> None:
    keys = ("atlas.rest.address", "atlas.rest.basic.auth.password")
    settings = Settings.read(dict.fromkeys(keys, "${env:ATLAS}"), ORIGIN)
    assert (settings.rest.address, settings.rest.password) == (None, None)


def test_text_that_no_message_can_hold_is_one_error() -> None:
    with pytest.raises(ConfigurationError, match=r"atlas\.metadata\.namespace: contains an unpaired surrogate"):
        Settings.read({"atlas.metadata.namespace": "a\ud83d"}, ORIGIN)


@pytest.mark.parametrize(
    ("key", "first", "both", "name", "value"),
    [
        ("atlas.spark.enabled", "false", "false,true", "sink.enabled", False),
        ("atlas.client.type", "rest", "rest,kafka", "sink.client_type", ClientType("rest")),
        ("atlas.hook.spark.message.max.entities", "7", "7,8", "content.message_max_entities", 7),
        ("atlas.hook.spark.exit.timeout.seconds", "1", "1,2", "driver.exit_timeout_seconds", 1.0),
        ("atlas.hook.spool.dir", "/a", "/a,/b", "spool.dir", "/a"),
        ("atlas.hook.spark.job.name", "x,y", "x,y,z", "names.job_name", "x,y"),
        ("atlas.notification.hook.topic.name", "T", "T,U", "sink.topic", "T"),
        ("atlas.metadata.namespace", "a", "a,b", "names.namespace", "b"),
        ("atlas.hook.spark.labels", "a", "a,b", "content.labels", ("a", "b")),
        ("atlas.hook.spark.classifications", "a", "a,b", "content.classifications", (Classification("a"), Classification("b"))),
        ("atlas.hook.spark.custom.attributes", "a=1", "a=1,b=2", "content.custom_attributes", (("a", "1"), ("b", "2"))),
        ("atlas.hook.spark.path.patterns", "a", "a,b", "names.path_patterns", ("a", "b")),
        ("atlas.hook.spark.path.kept", "a", "a,b", "names.path_kept", ("a", "b")),
        ("atlas.hook.spark.path.folded", "a", "a,b", "names.path_folded", ("a", "b")),
        ("atlas.rest.address", "http://a", "http://a,http://b", "rest.address", "http://a,http://b"),
    ],
)  # fmt: skip
def test_first_value_of_a_repeated_key_counts_except_for_lists(
    key: str, first: str, both: str, name: str, value: object
) -> None:
    settings = Settings.read({key: both}, ORIGIN, repeated={key: (first, both.removeprefix(f"{first},"))})
    assert attrgetter(name)(settings) == value


@pytest.mark.parametrize("key", sorted(RETIRED))
def test_obsolete_setting_is_accepted_with_any_value(key: str) -> None:
    assert Settings.read({key: "whatever"}, ORIGIN) == read()
    assert unknown_keys([key], [each for setting in describe() for each in setting.keys]) == {}
    assert properties_of({keyword_of(key): 1}) == {key: "1"}
    assert key not in page()


def test_numbers_are_printed_for_people() -> None:
    ranges = [
        setting.kind.name for setting in describe() if "number" in setting.kind.name or "integer" in setting.kind.name
    ]
    assert ranges
    assert not [text for text in ranges if re.search(r"\d{4}|\de[+-]", text)]


def test_settings_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().sink.topic = "x"  # type: ignore[misc]


def test_every_setting_is_documented_once() -> None:
    keys = [key for setting in describe() for key in setting.keys]
    assert len(keys) == len(set(keys))
    for setting in describe():
        assert setting.doc.endswith(".")
        assert "|" not in setting.doc + setting.kind.name + setting.default


def test_the_documentation_is_not_stale() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert text == page(), "run: python -m dev.configuration > docs/configuration.md"


def test_the_module_prints_the_documentation() -> None:
    command = [sys.executable, "-m", "dev.configuration"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout == page()


def test_importing_settings_and_transports_loads_no_kafka_client() -> None:
    code = (
        "import sys, sac_kafka, sac_kafka.settings, sac_kafka.transport.factory, sac_kafka.transport.kafka.transport\n"
        "from sac_kafka.transport.factory import make_transport\n"
        "make_transport(sac_kafka.settings.Settings.read({'atlas.kafka.bootstrap.servers': 'h:1'}, 'test'))\n"
        "assert not {'confluent_kafka', 'pyspark', 'py4j', 'azure.identity', 'msal'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("labels", "two words", "label 'two words' must have 1 to 50 letters"),
        ("labels", "x" * 51, "must have 1 to 50"),
        ("custom.attributes", "run.id=7", "key 'run.id' must have 1 to 50 letters"),
        ("custom.attributes", "password=hunter2", "looks like a secret"),
        ("custom.attributes", "run", "'run' must be key=value"),
        ("custom.attributes", f"run={'x' * 501}", "at most 500 characters"),
        ("classifications", "1st", "'1st' is not a classification name"),
        ("classifications", "PII(level)", "'level' must be attribute=value"),
        ("classifications", "PII(level=high", r"'PII\(level=high' is not a classification name"),
        ("classifications", "PII(password=hunter2)", "looks like a secret"),
        ("classifications", "PII[soon]", "'soon' must be propagate=false, or a period"),
        ("classifications", "PII[2026-02-01/2026-01-01]", "the period ends before it begins"),
        ("classifications", "PII[2026-01-01/ Europe/Nowhere]", "'Europe/Nowhere' is not a time zone"),
        ("classifications", "PII[2026-01-01/ UTC+01:00]", r"'UTC\+01:00' is not a time zone"),
        ("classifications", "PII[2026-01-01/ Factory]", "'Factory' is not a time zone"),
        ("classifications", "PII[2026-02-31/]", "'2026-02-31' must be a date or a time"),
        ("classifications", "PII[2026-02-01T00:00:00+01:00/]", "without a zone"),
        ("labels", "password=hunter2 b", r"label 'password=\*{8}' must have"),
        ("classifications", "password=hunter2", r": 'password=\*{8}' is not a classification name"),
    ],
)
def test_r21_values_that_a_server_rejects_are_rejected_at_start(key: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        read(**{f"atlas.hook.spark.{key}": text})
    assert "hunter2" not in str(caught.value)
    assert mask_line(str(caught.value)) == str(caught.value)


def test_reports_the_first_of_several_invalid_values_and_counts_the_others() -> None:
    wrong = {"atlas.client.type": "kafak", "atlas.hook.spark.views": "x", "atlas.hook.spark.compat": "y"}
    with pytest.raises(
        ConfigurationError, match=r"atlas.client.type = kafak: .*; and 2 more, which sac-kafka config shows$"
    ):
        read(**wrong)
