"""Keys of Kafka's client: what would silently change the connection is an error, with the file, the line and the fix."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import FILE_NAME, Places
from sac_kafka.settings.files.reading import read_configuration
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.settings.reviewing import review
from tests.helpers.secret_search import used

PASSWORD = used("s3cret-of-reviewing")
LOGIN = (
    "atlas.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required "
    f'username="u" password="{PASSWORD}";\n'
)
HOST = "atlas.kafka.bootstrap.servers=h:1\n"


def settings(folder: Path, text: str) -> Settings:
    (folder / FILE_NAME).write_text(text)
    return Settings.of(read_configuration(Places(working_directory=str(folder)), {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "atlas.kafka.bootstrap.server=h:1",
            ", line 1: atlas.kafka.bootstrap.server is not a Kafka property; did you mean "
            "atlas.kafka.bootstrap.servers? Correct it, or remove it",
        ),
        (
            f"{HOST}atlas.kafka.security.protcol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n{LOGIN}",
            ", line 2: atlas.kafka.security.protcol is not a Kafka property; did you mean atlas.kafka.security.protocol?",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanisms=PLAIN\n{LOGIN}",
            ", line 3: atlas.kafka.sasl.mechanisms is not a Kafka property; did you mean atlas.kafka.sasl.mechanism?",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=SCRAM-SHA-1\n{LOGIN}",
            ", line 3: atlas.kafka.sasl.mechanism = SCRAM-SHA-1: Kafka supports PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, "
            "OAUTHBEARER and GSSAPI (did you mean SCRAM-SHA-",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN # mine\n{LOGIN}",
            "must be one word; comments must be on separate lines",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL-SSL\n",
            ", line 2: atlas.kafka.security.protocol = SASL-SSL: must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL "
            "(did you mean SASL_SSL?)",
        ),
        (
            f"{HOST}atlas.kafka.sasl.mechanism=PLAIN\n",
            ", line 2: atlas.kafka.security.protocol is not set, but atlas.kafka.sasl.mechanism is: the connection would have "
            "no login; set it to SASL_SSL or SASL_PLAINTEXT (or to PLAINTEXT, if that is meant)",
        ),
        (f"{HOST}{LOGIN}", ", line 2: atlas.kafka.security.protocol is not set, but atlas.kafka.sasl.jaas.config is"),
        (
            "atlas.kafka.bootstrap.servers=$KAFKA_HOST:9092\n",
            ", line 1: atlas.kafka.bootstrap.servers: '$KAFKA_HOST:9092' is not host:port; write it as in "
            "broker.example.com:9092; write an environment variable as ${env:NAME}",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=SCRAM-SHA-256\n"
            "atlas.jaas.KafkaClient.loginModuleName=org.apache.kafka.common.security.scram.ScramLoginModule;\n",
            ", line 4: atlas.jaas.KafkaClient.loginModuleName = org.apache.kafka.common.security.scram.ScramLoginModule;: must "
            "be a class name without quotes, ; or blanks",
        ),
        (
            f"{HOST}\natlas.kafka.bootstrap.servers=g:1\n",
            ", lines 1, 3: atlas.kafka.bootstrap.servers is set several times with different values; keep one of these",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SSL\natlas.kafka.security.protocol=SASL_SSL\n",
            ", lines 2, 3: atlas.kafka.security.protocol is set several times",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n{LOGIN}"
            f"{LOGIN.replace('u', 'v')}",
            ", lines 4, 5: atlas.kafka.sasl.jaas.config is set several times",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n"
            "atlas.jaas.KafkaClient.loginModuleName=org.apache.kafka.common.security.plain.PlainLoginModule\n"
            "atlas.jaas.KafkaClient.option.username=a\natlas.jaas.KafkaClient.option.username=b\n",
            ", lines 5, 6: atlas.jaas.KafkaClient.option.username is set several times",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\n{LOGIN}",
            ", line 3: atlas.kafka.sasl.mechanism is not set, but atlas.kafka.sasl.jaas.config uses the PlainLoginModule; set "
            "it to PLAIN",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.jaas.KafkaClient.loginModuleName=x.ScramLoginModule\n",
            "but atlas.jaas.KafkaClient.loginModuleName uses the ScramLoginModule; set it to SCRAM-SHA-512 or SCRAM-SHA-256",
        ),
        (f"{HOST}atlas.kafka.acks=7\n", ", line 2: atlas.kafka.acks = 7: must be one of"),
        (
            f"{HOST}atlas.kafka.security.protocol=SSL\natlas.kafka.ssl.truststore.location=/no/such\n",
            ", line 3: atlas.kafka.ssl.truststore.location = /no/such: cannot be read",
        ),
        (
            f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n",
            ", line 3: atlas.kafka.sasl.jaas.config is not set, but atlas.kafka.sasl.mechanism is PLAIN; set it to",
        ),
        ("atlas.metadata.namespace=x\n", ": atlas.kafka.bootstrap.servers is not set; set it to host:port"),
    ],
)
def test_an_error_names_the_file_and_the_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make_transport(settings(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path / FILE_NAME}")
    assert expected in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_a_missing_file_is_reported_with_the_searched_places(tmp_path: Path) -> None:
    places = Places(working_directory=str(tmp_path), spark_conf={"spark.atlas.hook.spool.dir": "/s"})
    with pytest.raises(ConfigurationError) as caught:
        make_transport(Settings.of(read_configuration(places, {})))
    assert str(caught.value) == (
        "the Spark configuration (no file): atlas.kafka.bootstrap.servers is not set; set it to host:port of one or more "
        f"brokers; no {FILE_NAME} was found in the working directory {tmp_path}, the class path"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{HOST}atlas.kafka.hook.group.id=a\natlas.kafka.hook.group.id=b\n",
        f"{HOST}atlas.kafka.zookeeper.connect=a\natlas.kafka.zookeeper.connect=b\n",
        f"{HOST}atlas.kafka.sasl.kerberos.service.name=kafka\n",
        f"{HOST}atlas.kafka.security.protocol=PLAINTEXT\n{LOGIN}{LOGIN.replace('u', 'v')}",
        f"{HOST}atlas.kafka.librdkafka.security.protocol=sasl_ssl\natlas.kafka.sasl.mechanism=PLAIN\n",
        f"{HOST}atlas.kafka.security.protocol=SSL\natlas.kafka.ssl.enabled.protocols=TLSv1.2\n"
        "atlas.kafka.ssl.enabled.protocols=TLSv1.3\n",
        f"{HOST}atlas.kafka.security.protocol=PLAINTEXT\natlas.kafka.ssl.keystore.alias=x\n",
    ],
)
def test_keys_that_do_not_affect_the_connection_are_no_error(tmp_path: Path, text: str) -> None:
    assert review(settings(tmp_path, text).kafka) == ()


def test_a_section_without_a_protocol_means_no_login_as_in_atlas_hooks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    module = "atlas.jaas.KafkaClient.loginModuleName=com.sun.security.auth.module.Krb5LoginModule\n"
    make_transport(settings(tmp_path, f"{HOST}{module}atlas.jaas.KafkaClient.option.useKeyTab=true\n")).close(0)
    assert caplog.messages == [
        f"{tmp_path / FILE_NAME}, line 2: atlas.jaas.KafkaClient.loginModuleName is not used: atlas.kafka.security.protocol is "
        "not set, which means PLAINTEXT, without login and encryption, as for Atlas' hooks; set it to SASL_SSL or SASL_PLAINTEXT "
        "(or to PLAINTEXT, if that is meant)"
    ]
    plain = "atlas.kafka.security.protocol=PLAINTEXT\n"
    assert review(settings(tmp_path, f"{HOST}{module}{plain}").kafka) == ()


@pytest.mark.parametrize(
    ("password", "is_doubted"),
    [(r"ab\cd", True), (r"ab\\cd", False), (r"a\"b", False), ("abcd", False), ("ab\\", False)],
)
def test_a_backslash_that_kafka_drops_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, password: str, is_doubted: bool
) -> None:
    monkeypatch.setenv("PW", password)
    login = LOGIN.replace(PASSWORD, "${env:PW}")
    text = f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n{login}"
    warnings = review(settings(tmp_path, text).kafka)
    assert any("Kafka drops a single backslash" in each for each in warnings) == is_doubted
    assert password not in "".join(warnings)


def test_other_misspelt_keys_are_reported_despite_an_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with pytest.raises(ConfigurationError, match=r"atlas\.kafka\.acks = 7"):
        make_transport(settings(tmp_path, f"{HOST}atlas.kafka.compresion.type=gzip\natlas.kafka.acks=7\n"))
    assert caplog.messages == [
        f"{tmp_path / FILE_NAME}, line 2: atlas.kafka.compresion.type is not a Kafka property and has no effect; "
        "did you mean atlas.kafka.compression.type?"
    ]


@pytest.mark.parametrize("password", ["$KAFKA_PASSWORD", "$(cat)", "%KAFKA_PASSWORD%"])
def test_a_password_that_is_a_shell_variable_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, password: str
) -> None:
    text = f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n{LOGIN}"
    make_transport(settings(tmp_path, text.replace(PASSWORD, password)))
    assert [each for each in caplog.messages if "write an environment variable as ${env:NAME}" in each]
    assert password not in caplog.text


def test_a_file_that_cannot_be_appended_to_is_an_error_with_its_line(tmp_path: Path) -> None:
    for path, expected in (
        (tmp_path, "is a directory; name a file in it"),
        (tmp_path / "no/f", "no is no directory; create it"),
    ):
        with pytest.raises(ConfigurationError, match=expected) as caught:
            make_transport(settings(tmp_path, f"atlas.client.type=file\natlas.client.file.path={path}\n"))
        assert str(caught.value).startswith(f"{tmp_path / FILE_NAME}, line 2: atlas.client.file.path = ")


@pytest.mark.parametrize("part", ["username", "password"])
def test_login_keys_of_other_clients_are_reported_with_their_place(tmp_path: Path, part: str) -> None:
    text = f"{HOST}atlas.kafka.security.protocol=SASL_SSL\natlas.kafka.sasl.mechanism=PLAIN\n{LOGIN}"
    assert review(settings(tmp_path, f"{text}atlas.kafka.sasl.{part}={PASSWORD}\n").kafka) == (
        f"atlas.kafka.sasl.{part} is not a Kafka property and has no effect; set the login in "
        f"atlas.kafka.sasl.jaas.config, or this option in atlas.jaas.KafkaClient.option.{part}",
    )
