"""A topic that only Kafka's Java client can read: each command names the pipe that works, complete and without secrets."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.tools.cli.main import parser
from tests.helpers.secret_search import used
from tests.unit.tools.cli.conftest import Cli

PASSWORD = used("hunter2-of-the-store")
KERBEROS = """
atlas.kafka.bootstrap.servers=b1.example.com:6667,b2.example.com:6667
atlas.kafka.security.protocol=SASL_PLAINTEXT
atlas.notification.hook.topic.name=ATLAS_SPARK_HOOK
atlas.rest.address=http://127.0.0.1:1
"""
KEYTAB = """
atlas.jaas.KafkaClient.loginModuleName=com.sun.security.auth.module.Krb5LoginModule
atlas.jaas.KafkaClient.loginModuleControlFlag=required
atlas.jaas.KafkaClient.option.useKeyTab=true
atlas.jaas.KafkaClient.option.keyTab=/etc/security/keytabs/etl.keytab
atlas.jaas.KafkaClient.option.principal=etl@EXAMPLE.COM
atlas.jaas.KafkaClient.option.serviceName=kafka
"""


def pipe(folder: Path, text: str, cli: Cli, *words: str) -> tuple[list[str], list[str], str]:
    """Return the command of Kafka and ours that the error names, and the error."""
    (folder / FILE_NAME).write_text(text)
    status, _, error = cli(*words, "--conf-dir", folder)
    assert (status, error.count("\n"), PASSWORD in error) == (2, 1, False)
    command = error.partition("; run ")[2].partition("; client.properties")[0]
    both = shlex.split(command)
    at = both.index("|")
    return both[:at], both[at + 1 :], error


@pytest.mark.parametrize(
    "words",
    [
        ("tail",),
        ("tail", "topic", "-n", "3"),
        ("verify", "topic"),
        ("coverage",),
        ("coverage", "topic", "--json"),
        ("show", "topic"),
        ("impact", "topic", "sales.orders"),
        ("view", "topic"),
        ("cost", "topic"),
        ("validate", "topic"),
        ("diff", "topic", "other.jsonl"),
        ("replay", "topic", "--to", "console"),
    ],
    ids=" ".join,
)
def test_command_names_the_pipe(words: tuple[str, ...], tmp_path: Path, cli: Cli) -> None:
    kafka, ours, _ = pipe(tmp_path, KERBEROS + KEYTAB, cli, *words)
    assert kafka[1:8] == [
        *("--bootstrap-server", "b1.example.com:6667,b2.example.com:6667"),
        *("--topic", "ATLAS_SPARK_HOOK", "--from-beginning", "--timeout-ms", "10000"),
    ]
    properties = dict(each.split("=", 1) for each in kafka[9::2])
    assert set(kafka[8::2]) == {"--consumer-property"}
    assert properties["security.protocol"] == "SASL_PLAINTEXT"
    assert properties["sasl.mechanism"] == "GSSAPI"
    assert 'keyTab="/etc/security/keytabs/etl.keytab"' in properties["sasl.jaas.config"]
    assert "batch.size" not in properties
    assert ours[:2] == ["sac-kafka", words[0]]
    assert "topic" not in ours
    assert ours.count("-") == 1
    parser(words[0]).parse_args(ours[1:])  # a usage error would end the test


def test_followed_topic_has_a_pipe_without_an_end(tmp_path: Path, cli: Cli) -> None:
    kafka, ours, _ = pipe(tmp_path, KERBEROS, cli, "tail", "-f", "--grep", "topic of sales")
    assert "--timeout-ms" not in kafka
    assert ours == ["sac-kafka", "tail", "--grep", "topic of sales", "--conf-dir", str(tmp_path), "-"]


def test_without_a_login_in_the_file_the_ticket_is_used(tmp_path: Path, cli: Cli) -> None:
    kafka, _, _ = pipe(tmp_path, KERBEROS, cli, "tail")
    (login,) = (each for each in kafka if each.startswith("sasl.jaas.config="))
    assert 'useTicketCache="true"' in login
    assert "sasl.kerberos.service.name=kafka" in kafka


def test_secrets_go_into_a_file(tmp_path: Path, cli: Cli) -> None:
    store = f"atlas.kafka.ssl.truststore.location=/t.jks\natlas.kafka.ssl.truststore.password={PASSWORD}\n"
    text = KERBEROS.replace("SASL_PLAINTEXT", "SASL_SSL") + KEYTAB + store
    kafka, _, error = pipe(tmp_path, text, cli, "tail")
    assert kafka[-2:] == ["--consumer.config", "client.properties"]
    assert error.endswith(
        "; client.properties has the settings atlas.kafka.{security,sasl,ssl}.* without atlas.kafka.\n"
    )


def test_program_of_this_machine_is_named(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pipe(tmp_path, KERBEROS, cli, "tail")[0][0] == "kafka-console-consumer"
    program = tmp_path / "kafka-console-consumer.sh"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pipe(tmp_path, KERBEROS, cli, "tail")[0][0] == program.name
