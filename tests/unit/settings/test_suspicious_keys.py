"""Warnings about suspicious keys: unknown, set twice, or with Spark's prefix; each with file, line and effective value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings, describe
from sac_kafka.settings.declarations.choices import ColumnLineageMode
from sac_kafka.settings.files.finding import FILE_NAME, Places
from sac_kafka.settings.files.reading import Configuration, read_configuration
from sac_kafka.settings.sinks import ClientType
from sac_kafka.settings.spark_atlas_connector import REPLACED, SHARED, SPARK_KEYS, doubts_in_driver
from sac_kafka.settings.suspicious_keys import shared_keys, suspicious_keys


def configuration(folder: Path, text: str, **conf: str) -> Configuration:
    (folder / FILE_NAME).write_text(text)
    spark = {f"spark.{key.replace('_', '.')}": value for key, value in conf.items()}
    return read_configuration(Places(working_directory=str(folder), spark_conf=spark), {})


def warnings_of(folder: Path, text: str, **conf: str) -> tuple[str, ...]:
    return suspicious_keys(configuration(folder, text, **conf))


def test_unknown_key_is_reported_with_its_line_and_the_nearest_known_one(tmp_path: Path) -> None:
    text = "\natlas.hook.spark.job.nmae=x\natlas.hook.spark.wholly.else=y\natlas.hook.hive.x=z\n"
    assert warnings_of(tmp_path, text, atlas_cleint_type="console") == (
        "the Spark configuration, spark.atlas.cleint.type: unknown setting atlas.cleint.type has no effect; did you mean "
        "atlas.client.type?",
        f"{tmp_path / FILE_NAME}, line 2: unknown setting atlas.hook.spark.job.nmae has no effect; did you mean "
        "atlas.hook.spark.job.name?",
        f"{tmp_path / FILE_NAME}, line 3: unknown setting atlas.hook.spark.wholly.else has no effect",
    )


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("atlas.client.tpye", "atlas.client.type"),
        ("atlas.cluster.names", "atlas.cluster.name"),
        ("atlas.metadata.namspace", "atlas.metadata.namespace"),
        ("atlas.notification.hook.topic.mame", "atlas.notification.hook.topic.name"),
        ("atlas.job.name", "atlas.hook.spark.job.name"),
        ("atlas.hook.spark.client.type", "atlas.client.type"),
        ("atlas.kafak.acks", "atlas.kafka.acks"),
        ("atlas.Kafka.acks", "atlas.kafka.acks"),
        ("atlas.jaas.KafkaCleint.option.password", "atlas.jaas.KafkaClient.option.password"),
        ("atlas.jaas.kafkaclient.loginModuleName", "atlas.jaas.KafkaClient.loginModuleName"),
        ("atlas.jass.KafkaClient.loginModuleName", "atlas.jaas.KafkaClient.loginModuleName"),
        ("atlas.jaas.KafkaClient.option.password", None),
        ("atlas.jaas.ticketBased-KafkaClient.option.useTicketCache", None),
        ("atlas.jaas.Client.option.password", None),
        ("atlas.graph.storage.backend", None),
        ("atlas.client.readTimeoutMSecs", None),
        ("atlas.hook.hive.synchronous", None),
        ("atlas.kafka.bootstrap.server", None),  # Kafka's are reviewed with its other settings
        ("atlas.notification.hook.topic", "atlas.notification.hook.topic.name"),
        ("atlas.notification.topic.name", "atlas.notification.hook.topic.name"),
        ("atlas.metadata", "atlas.metadata.namespace"),
        ("atlas.client.filepath", "atlas.client.file.path"),
        ("atlas.hook.rest.notification.adress", "atlas.hook.rest.notification.address"),
        ("atlas.notification.consumer.numWorkers", None),
        ("atlas.notification.hook.asynchronous", None),
        ("atlas.rest.notification.server.bind.address", None),
        ("atlas.proxyuser.knox.groups", None),
        ("atlas.hook.impala.synchronous", None),
        ("atlas.notification.hook.consumer.topic.names", None),
        ("atlas.notification.topic", "atlas.notification.hook.topic.name"),
        ("atlas.topic.name", "atlas.notification.hook.topic.name"),
        ("atlas.rest.username", "atlas.rest.basic.auth.username"),
        ("atlas.rest.password", "atlas.rest.basic.auth.password"),
        ("atlas.rest.url", "atlas.rest.address"),
        ("atlas.metadata.ns", "atlas.metadata.namespace"),
        ("atlas.namespace", "atlas.metadata.namespace"),
        ("atlas.hook.spool.directory", "atlas.hook.spool.dir"),
        ("atlas.client.path", "atlas.client.file.path"),
        ("atlas.client.kind", "atlas.client.type"),
        ("atlas.spark.enabeld", "atlas.spark.enabled"),
        ("atlas.bridge.unity.tokne", "atlas.bridge.unity.token"),
        ("atlas.aslo.file.client.type", "atlas.also.file.client.type"),
        ("atlas.client.connectTimeoutMSecs", None),
        ("atlas.client.ha.retries", None),
        ("atlas.client.ha.sleep.interval.ms", None),
        ("atlas.rest.connection.timeout.ms", None),
        ("atlas.rest.create.shell.entity.for.non-existing.ref", None),
        ("atlas.hook.spool.hivemetastore.name", None),
        ("atlas.conf", None),
        ("atlas.enableTLS", None),
    ],
)
def test_typo_of_our_key_among_foreign_keys_is_reported(tmp_path: Path, key: str, meant: str | None) -> None:
    warnings = warnings_of(tmp_path, f"{key}=x")
    assert [each.rpartition("did you mean ")[2] for each in warnings] == ([f"{meant}?"] if meant else [])


_HIDDEN = "{} has no effect: an invisible character ({}) is part of the key; retype the line"
_OF_KAFKA = "bootstrap.servers security.protocol sasl.mechanism sasl.jaas.config ssl.truststore.location"
_OF_EVERY_HOOK = "synchronous numRetries minThreads maxThreads keepAliveTime queueSize"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("\ufeffatlas.cluster.name", _HIDDEN.format("atlas.cluster.name", "U+FEFF")),
        ("\u200batlas.cluster.name", _HIDDEN.format("atlas.cluster.name", "U+200B")),
        ("\u00a0atlas.cluster.name", _HIDDEN.format("atlas.cluster.name", "U+00A0")),
        ("atlas.cluster.name\u00a0", _HIDDEN.format("atlas.cluster.name", "U+00A0")),
        ("atlas.clus\u00adter.name", _HIDDEN.format("atlas.cluster.name", "U+00AD")),
        ("\ufeffatlas.kafka.acks", _HIDDEN.format("atlas.kafka.acks", "U+FEFF")),
        ("\u200bspark.atlas.cluster.name", _HIDDEN.format("atlas.cluster.name", "U+200B")),
        ("Atlas.Cluster.Name", "Atlas.Cluster.Name has no effect; did you mean atlas.cluster.name?"),
        ("ATLAS.KAFKA.ACKS", "ATLAS.KAFKA.ACKS has no effect; did you mean atlas.kafka.acks?"),
        ("Atlas.jaas.KafkaClient.x", "Atlas.jaas.KafkaClient.x has no effect; did you mean atlas.jaas.KafkaClient.x?"),
        ('"atlas.cluster.name"', '"atlas.cluster.name" has no effect; did you mean atlas.cluster.name?'),
        *(
            (f"{prefix}{key}", f"{prefix}{key} has no effect; did you mean atlas.kafka.{key}?")
            for key in _OF_KAFKA.split()
            for prefix in ("", "kafka.")
        ),
    ],
)
def test_lookalike_of_our_key_is_reported(tmp_path: Path, written: str, message: str) -> None:
    text = f"atlas.client.type=memory\n{written}=secret\n"
    assert warnings_of(tmp_path, text) == (f"{tmp_path / FILE_NAME}, line 2: {message}",)


_UNFINISHED = "has no effect: the last line of the file ends in a backslash; remove it"
_UNEXPANDED = "atlas.cluster.name contains the unexpanded variable {}; write ${{env:CLUSTER}}, or its value"
_QUOTED = "contains quotes that are part of the value"
_INVISIBLE = "contains an invisible character (U+{}); retype the value"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("atlas.hook.spark.job.name=x\\", f"atlas.hook.spark.job.name {_UNFINISHED}"),
        ("atlas.kafka.sasl.jaas.config=hunter2 \\\n  hunter2 \\\n", f"atlas.kafka.sasl.jaas.config {_UNFINISHED}"),
        (
            "atlas.hook.spark.job.name",
            "atlas.hook.spark.job.name has no effect: the line has no = and no value; write atlas.hook.spark.job.name=VALUE",
        ),
        *((f"atlas.cluster.name={text}", _UNEXPANDED.format(text)) for text in ("$CLUSTER", "%CLUSTER%", "${CLUSTER}")),
        ("atlas.cluster.name=prod:$(CLUSTER)", _UNEXPANDED.format("$(CLUSTER)")),
        ('atlas.hook.spool.dir="/data/spool"', f"atlas.hook.spool.dir {_QUOTED}; remove them"),
        ("atlas.hook.spark.rest.token='x'", f"atlas.hook.spark.rest.token {_QUOTED}; remove them"),
        ("atlas.client.type=kafka\u200b", f"atlas.client.type {_INVISIBLE.format('200B')}"),
        ("atlas.kafka.security.protocol=\u00a0SSL", f"atlas.kafka.security.protocol {_INVISIBLE.format('00A0')}"),
        (
            "atlas.kafka.sasl.jaas.config=x.PlainLoginModule required username=\u201cme\u201d;",
            f'atlas.kafka.sasl.jaas.config {_QUOTED}; write straight double quotes (")',
        ),
    ],
)
def test_line_is_reported(tmp_path: Path, line: str, message: str) -> None:
    assert warnings_of(tmp_path, f"atlas.hook.spark.labels=a\n{line}") == (
        f"{tmp_path / FILE_NAME}, line 2: {message}",
    )


@pytest.mark.parametrize(
    "text",
    [
        "atlas.client.type=memory\nhive.x=y\\",
        "atlas.client.type=memory\nhive",
        "atlas.rest.basic.auth.username=u\natlas.rest.basic.auth.password=$ecret",
        "atlas.hook.spark.job.name=a$b",
        "atlas.hook.spark.job.name=100%",
        'atlas.jaas.KafkaClient.option.username="me"',
        "atlas.hook.spark.job.name=\u65e5\u6b21\u3000\u96c6\u8a08",
        'atlas.hook.spark.query.text="',
        'atlas.hook.hive.name="x"',
        "cert.stores.credential.provider.path=x\nkeystore.file=x\nclient.auth.enabled=true\natlas.cluster.name=a\n",
        "atlas.kafka.bootstrap.servers=h:1\nbootstrap.servers=h:1\n",
        "atlas.cluster.name=a\nmy.bootstrap.servers=h:1\nhive.sasl.enabled=true\nsasl=x\n",
        "atlas.spark.enabled=false\nbootstrap.servers=h:1\natlas.hook.spark.job.nmae=x\n",
        "".join(f"atlas.hook.spark.{name}=1\n" for name in _OF_EVERY_HOOK.split()),
    ],
)
def test_ordinary_line_is_not_reported(tmp_path: Path, text: str) -> None:
    assert warnings_of(tmp_path, text) == ()


def test_spark_key_in_another_case_is_reported(tmp_path: Path) -> None:
    found = read_configuration(
        Places(working_directory=str(tmp_path), spark_conf={"spark.atlas.client.type": "memory", "spark.Atlas.x": "y"}),
        {},
    )
    assert suspicious_keys(found) == (
        "the Spark configuration, spark.Atlas.x: Atlas.x has no effect; did you mean atlas.x?",
    )


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("\ufeff\ufeffatlas.client.type=memory", "(U+FEFF) is part of the key; retype the line"),
        ("atlas.client.type=memory\\", "the last line of the file ends in a backslash; remove it"),
    ],
)
def test_error_names_the_ignored_line_if_the_file_sets_nothing(tmp_path: Path, text: str, fix: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        configuration(tmp_path, text)
    assert "no line sets an atlas.… key; atlas.client.type has no effect: " in str(caught.value)
    assert str(caught.value).endswith(fix)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_of_windows_is_read_by_its_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / FILE_NAME).write_bytes(
        f"{mark}atlas.client.type=memory\r\natlas.cluster.name=größe\r\n".encode(encoding)
    )
    found = read_configuration(Places(working_directory=str(tmp_path)), {})
    assert Settings.of(found).names.namespace == "größe"
    assert suspicious_keys(found) == ()


@pytest.mark.parametrize("key", ["atlas.hook.spark.column.lineage.enabled", "atlas.spark.column.enabled"])
@pytest.mark.parametrize(("value", "mode"), [("false", "OFF"), ("True", "FULL"), ("direct", "DIRECT")])
def test_the_switches_of_other_hooks_count(tmp_path: Path, key: str, value: str, mode: str) -> None:
    found = configuration(tmp_path, f"{key}={value}")
    assert Settings.of(found).content.column_lineage is ColumnLineageMode[mode]
    assert suspicious_keys(found) == ()


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("client.type", "atlas.client.type"),
        ("metadata.namespace", "atlas.metadata.namespace"),
        ("job.name", "atlas.hook.spark.job.name"),
        ("spark.job.name", "atlas.hook.spark.job.name"),
        ("hook.spool.dir", "atlas.hook.spool.dir"),
        ("spool.dir", "atlas.hook.spool.dir"),
        ("jaas.KafkaClient.option.password", "atlas.jaas.KafkaClient.option.password"),
    ],
)
def test_setting_without_its_prefix_is_reported_unless_it_is_set_with_it(tmp_path: Path, key: str, meant: str) -> None:
    text = f"atlas.kafka.bootstrap.servers=h:1\n{key}=hunter2\n"
    assert warnings_of(tmp_path, text) == (
        f"{tmp_path / FILE_NAME}, line 2: {key} has no effect; did you mean {meant}?",
    )
    assert warnings_of(tmp_path, f"{text}{meant}=x\n") == ()


def test_keys_with_the_prefix_spark_in_the_file_count_and_are_reported(tmp_path: Path) -> None:
    found = configuration(
        tmp_path, "spark.atlas.client.type=memory\natlas.cluster.name=a\nspark.atlas.cluster.name=b\n"
    )
    settings = Settings.of(found)
    assert (settings.sink.client_type, settings.names.namespace) == (ClientType.MEMORY, "a")
    assert suspicious_keys(found) == (
        f"{tmp_path / FILE_NAME}, line 1: spark.atlas.client.type is read as atlas.client.type; in this file keys have "
        "no prefix spark.",
    )


def test_key_with_several_values_is_reported_with_its_lines_and_the_effective_one(tmp_path: Path) -> None:
    text = (
        "atlas.hook.spark.job.name=one\natlas.metadata.namespace=dev\natlas.hook.spark.labels=a\n"
        "atlas.hook.spark.job.name=two\natlas.metadata.namespace=prod\natlas.hook.spark.labels=b\n"
        "atlas.rest.basic.auth.password=hunter1\natlas.rest.basic.auth.password=hunter2\n"
    )
    warnings = warnings_of(tmp_path, text)
    file = tmp_path / FILE_NAME
    assert sorted(warnings) == [
        f"{file}, lines 1, 4: atlas.hook.spark.job.name is set 2 times with different values; the first is used (one): "
        "remove the others",
        f"{file}, lines 2, 5: atlas.metadata.namespace is set 2 times with different values; the last is used (prod): "
        "remove the others",
        f"{file}, lines 7, 8: atlas.rest.basic.auth.password is set 2 times with different values; the first is used "
        "(********): remove the others",
    ]
    settings = Settings.of(configuration(tmp_path, text))
    assert (settings.names.job_name, settings.names.namespace, settings.content.labels) == ("one", "prod", ("a", "b"))


def test_repeated_equal_values_and_blank_values_are_not_reported(tmp_path: Path) -> None:
    text = (
        "atlas.kafka.bootstrap.servers=h:1,g:1\natlas.kafka.security.protocol=\natlas.kafka.security.protocol=SSL\n"
        "atlas.kafka.bootstrap.servers= h:1,g:1 \natlas.hook.spark.job.name=x\natlas.hook.spark.job.name=x\n"
    )
    found = configuration(tmp_path, text)
    assert (suspicious_keys(found), found.repeated) == ((), {})
    settings = Settings.of(found)
    assert dict(settings.kafka.properties) == {"bootstrap.servers": "h:1,g:1", "security.protocol": "SSL"}
    assert settings.names.job_name == "x"


def test_a_user_of_rest_without_a_password_is_doubted(tmp_path: Path) -> None:
    text = "atlas.client.type=memory\natlas.rest.basic.auth.username=u\n"
    assert warnings_of(tmp_path, text) == (
        f"{tmp_path / FILE_NAME}, line 2: atlas.rest.basic.auth.username is set, but atlas.rest.basic.auth.password is not; "
        "set it, as in ${env:NAME}",
    )
    assert warnings_of(tmp_path, f"{text}atlas.hook.spark.rest.token=t\n") == ()
    assert warnings_of(tmp_path, f"{text}atlas.client.password=p\n") == ()


@pytest.mark.parametrize(("key", "fix"), REPLACED.items())
@pytest.mark.parametrize("place", ["file", "spark"])
def test_key_of_the_connector_is_reported_once_with_the_fix(tmp_path: Path, key: str, fix: str, place: str) -> None:
    found = (
        configuration(tmp_path, f"{key}=3\n{key}=3\n")
        if place == "file"
        else read_configuration(Places(working_directory=str(tmp_path), spark_conf={f"spark.{key}": "3"}), {})
    )
    (warning,) = suspicious_keys(found)
    assert warning.endswith(f": {key} is the Spark Atlas Connector's and has no effect: {fix}")


SHARED_KEYS = (
    "atlas.hook.entity.ignore.pattern",
    "atlas.notification.failed.messages.filename",
    "atlas.notification.hook.asynchronous",
    "atlas.notification.hook.asynchronous.minThreads",
    "atlas.notification.hook.maxretries",
    "atlas.notification.hook.numthreads",
    "atlas.notification.hook.retry.interval",
    "atlas.notification.hook.retry.maxRetries",
    "atlas.notification.log.failed.messages",
)


def test_key_that_other_hooks_need_is_no_mistake(tmp_path: Path) -> None:
    found = configuration(tmp_path, "".join(f"{key}=3\n" for key in SHARED_KEYS))
    assert suspicious_keys(found) == ()
    reported = [each.partition(": ")[2].partition(" has no effect on sac_kafka: ") for each in shared_keys(found)]
    assert [key for key, _, _ in reported] == [*SHARED_KEYS]
    assert {fix for _, _, fix in reported} == set(SHARED.values())


def test_fixes_name_existing_keys() -> None:
    known = {key for each in describe() for key in each.keys}
    for fix in (*REPLACED.values(), *SHARED.values(), *SPARK_KEYS.values()):
        assert set(re.findall(r"atlas\.[\w.]*\w", fix)) <= known


LISTENER = "com.hortonworks.spark.atlas.SparkAtlasEventTracker"


def test_driver_with_the_connector_has_one_warning() -> None:
    conf = {
        "spark.extraListeners": f"a.B,{LISTENER}",
        "spark.sql.queryExecutionListeners": LISTENER,
        "spark.lineage.enabled": "true",
    }
    assert doubts_in_driver(conf) == (
        f"the Spark Atlas Connector runs in this driver as well (spark.extraListeners = {LISTENER}; "
        f"spark.sql.queryExecutionListeners = {LISTENER}), so the catalog gets each flow from both; remove its classes from "
        "these keys (docs/from-sac.md)",
    )


@pytest.mark.parametrize(
    ("conf", "warnings"),
    [
        ({"spark.lineage.enabled": "false"}, 1),
        ({"spark.lineage.enabled": "true"}, 1),
        ({"spark.lineage.enabled": "false", "spark.atlas.spark.enabled": "true"}, 0),
        ({"spark.lineage.enabled": "true", "spark.atlas.spark.enabled": "true"}, 1),
        ({"spark.sql.extensions": "com.hortonworks.spark.atlas.sql.SparkExtension"}, 0),  # Spark itself warns of it
        ({"spark.extraListeners": "com.example.Hortonworks"}, 0),
    ],
)
def test_keys_of_clouderas_spark_are_reported(conf: dict[str, str], warnings: int) -> None:
    assert len(doubts_in_driver(conf)) == warnings
