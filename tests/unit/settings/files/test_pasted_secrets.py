"""Secrets pasted into the wrong place are never shown: each place, each form, all output of the hook and commands."""

from __future__ import annotations

import itertools
import logging
import ssl
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.errors import SacKafkaError
from sac_kafka.log import logger
from sac_kafka.settings import Settings, describe
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import read_configuration
from sac_kafka.settings.sinks import ClientType
from sac_kafka.settings.suspicious_keys import suspicious_keys
from sac_kafka.tools.cli.configured import summary
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.doctor import environment_checks
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import make_transport

SECRET = "hunter2zX9Qv"
FORMS = {
    "connection string": f"Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={SECRET}=",
    "login": f"lineage:{SECRET}@broker.example.org",
    "login with port": f"lineage:{SECRET}@broker.example.org:9093",
    "url": f"https://lineage:{SECRET}@atlas.example.org/x",
    "parameter": f"password={SECRET}",
    "token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.{SECRET}",
    "api key": f"sk-proj-{SECRET}{SECRET}",
    "sql": f"alter user ada identified by {SECRET}",
    "sql in quotes": f"PASSWORD '{SECRET}'",
    "jaas": f'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{SECRET}";',
}
LOG_IN = {
    "atlas.kafka.security.protocol": "SASL_PLAINTEXT",
    "atlas.kafka.sasl.mechanism": "PLAIN",
    "atlas.jaas.KafkaClient.loginModuleName": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "atlas.jaas.KafkaClient.option.username": "u",
    "atlas.jaas.KafkaClient.option.password": "not-a-secret",
}
SINKS = {
    "kafka": {"atlas.kafka.bootstrap.servers": "127.0.0.1:1", **LOG_IN},
    "rest": {"atlas.client.type": "rest", "atlas.rest.address": "http://127.0.0.1:1"},
    "purview": {
        "atlas.client.type": "purview",
        "atlas.rest.address": "http://127.0.0.1:1",
        "atlas.hook.spark.rest.token": "not-a-secret",
    },
    "file": {"atlas.client.type": "file", "atlas.client.file.path": "messages.jsonl"},
}
OF_KAFKA = (
    *("bootstrap.servers", "client.id", "acks", "linger.ms", "compression.type", "security.protocol", "sasl.mechanism"),
    *("sasl.jaas.config", "sasl.kerberos.service.name", "sasl.login.callback.handler.class", "sasl.login.class"),
    *("sasl.oauthbearer.token.endpoint.url", "ssl.truststore.location", "ssl.truststore.type", "ssl.keystore.location"),
    *(
        "ssl.endpoint.identification.algorithm",
        "ssl.enabled.protocols",
        "librdkafka.debug",
        "librdkafka.no.such",
        "no.such",
    ),
    *("sasl.mechanisms", "bootstrap.server"),
)
OF_JAAS = (
    *("loginModuleName", "loginModuleControlFlag", "option.username", "option.password", "option.serviceName"),
    *("option.other", "other"),
)
PLACES = (
    *(key for each in describe() for key in each.keys),
    *(f"atlas.kafka.{key}" for key in OF_KAFKA),
    *(f"atlas.jaas.KafkaClient.{key}" for key in OF_JAAS),
    *("atlas.hook.spark.no.such", "atlas.hook.spark.queueSize", "atlas.client.tpye"),
)


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("{}",),
    ("config", "{}"),
    ("config", "--{}"),
    ("config", "--conf-dir", "{}"),
    ("config", "--conf-file", "{}"),
    ("config", "--conf", "{}"),
    ("config", "--conf", "atlas.client.type=memory", "--conf", "atlas.{}=1"),
    ("doctor", "--conf", "{}"),
    ("doctor", "--timeout", "{}"),
    ("doctor", "--conf-dir", "{}"),
    ("spool", "{}"),
    ("spool", "list", "--dir", "{}"),
    ("spool", "list", "--conf", "{}"),
    ("spool", "show", "--dir", ".", "{}"),
    ("spool", "purge", "--yes", "--dir", ".", "{}"),
    ("replay", "{}"),
    ("replay", "batch.txt", "--to", "{}"),
    ("spool", "replay", "--timeout", "{}"),
    ("spool", "replay", "--conf", "atlas.client.type=memory", "--dir", ".", "--topic", "{}"),
    ("types", "{}"),
    ("types", "print", "--family", "{}"),
    ("types", "diff", "--server", "{}", "--timeout", "1"),
    ("types", "diff", "--server", "http://127.0.0.1:1", "--user", "{}"),
    ("types", "diff", "--server", "http://127.0.0.1:1", "--ca-file", "{}"),
    ("types", "diff", "--server", "http://127.0.0.1:1", "--user", "u", "--password-file", "{}"),
    ("types", "diff", "--server", "http://127.0.0.1:1", "--timeout", "{}"),
    ("types", "apply", "--server", "{}", "--timeout", "1"),
    ("types", "apply", "--conf", "{}"),
    ("show", "{}"),
    ("show", "messages.jsonl", "--column", "{}"),
)

OutputOf = Callable[[Callable[[], object]], str]


@pytest.fixture
def output_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> OutputOf:
    """Return a function that runs something in an empty directory and returns its output, log and traceback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # No encryption here and no changing packages: loading both for every connection and command would be slow.
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda *_: None)
    monkeypatch.setattr(environment_checks, "_version", _version)
    caplog.set_level(logging.DEBUG, "sac_kafka")

    def of(run: Callable[[], object]) -> str:
        error = ""
        try:
            run()
        except SystemExit as e:  # for which Python shows no traceback
            error = repr(e)
        except SacKafkaError:
            error = traceback.format_exc()
        output = capsys.readouterr()
        text = "\n".join(
            (output.out, output.err, caplog.text, *map(repr, (r.msg % r.args for r in caplog.records)), error)
        )
        caplog.clear()
        return text

    return of


@cache
def _version(package: str) -> str:
    return metadata.version(package)


def conf(values: Mapping[str, str]) -> list[str]:
    return [word for key, value in values.items() for word in ("--conf", f"{key}={value}")]


def names(folder: Path) -> str:
    return "\n".join(str(path.relative_to(folder)) for path in folder.rglob("*"))


def sink_of(place: str) -> str:
    """Return the sink that a setting belongs to."""
    if ".kafka." in place or ".jaas." in place:
        return "kafka"
    if ".purview.collection" in place or ".entra." in place:
        return "purview"
    return "rest" if ".rest." in place or "atlas.client." in place else "file"


def shown(values: Mapping[str, str]) -> Iterator[object]:
    """Yield everything that the hook shows of a configuration when it attaches, sends and reports problems."""
    configuration = read_configuration(Places(spark_conf={f"spark.{key}": value for key, value in values.items()}), {})
    yield configuration
    yield suspicious_keys(configuration)
    settings = Settings.of(configuration)
    yield settings
    yield summary(settings)
    transport = make_transport(settings)
    yield transport
    yield transport.name
    if settings.sink.client_type is not ClientType.KAFKA:
        transport.send(Record("ATLAS_HOOK", b"k", (b"{}",)), lambda failure: logger.warning("%s", failure))
        transport.flush(0.2)
        yield transport.problem()
    transport.close(0.2)


READERS: dict[str, Callable[[Mapping[str, str]], object]] = {
    "config": lambda values: main(["config", "--all", *conf(values)]),
    "attached": lambda values: [print(each, repr(each)) for each in shown(values)],
    "spool": lambda values: main(["spool", "list", *conf(values)]),
    "doctor": lambda values: main(["doctor", "--timeout", "1", *conf(values)]),
}
READERS_OF_KAFKA = ("config", "attached")


def rows() -> Iterator[Any]:
    """Yield pairs of a reader and the form of the secret in the place: each reader once, each time with another form.

    The next place has the next forms; nightly runs combine each reader with each form.
    """
    for number, place in enumerate(dict.fromkeys(PLACES)):
        readers = READERS_OF_KAFKA if sink_of(place) == "kafka" else READERS
        turns = [(who, [*FORMS][(3 * number + turn) % len(FORMS)]) for turn, who in enumerate(readers)]
        yield pytest.param(place, turns, id=place)
        others = [each for each in itertools.product(readers, FORMS) if each not in turns]
        yield pytest.param(place, others, id=f"{place}, other forms", marks=pytest.mark.nightly)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "turns"), [*rows()])
def test_a_setting_with_a_secret_in_it(
    place: str, turns: Iterable[tuple[str, str]], output_of: OutputOf, tmp_path: Path
) -> None:
    for who, form in turns:
        values = SINKS[sink_of(place)] | {place: FORMS[form]}
        text = output_of(lambda ask=READERS[who], values=values: ask(values))
        assert text.strip()
        assert SECRET not in text, f"{form}, {who}: {text}"
    assert SECRET not in names(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_argument_with_a_secret_in_it(
    command: tuple[str, ...], output_of: OutputOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_PASSWORD", "not-a-secret")
    (tmp_path / "messages.jsonl").touch()
    for form, value in FORMS.items():
        text = output_of(lambda value=value: main([word.replace("{}", value) for word in command]))
        assert text.strip()
        assert SECRET not in text, f"{form}: {text}"
    assert SECRET not in names(tmp_path)


def test_settings_file_with_a_misplaced_secret(output_of: OutputOf, tmp_path: Path) -> None:
    file = tmp_path / "atlas-application.properties"
    for line in (f"{SECRET}", f"include={FORMS['url']}", *(f"{value}" for value in FORMS.values())):
        file.write_text(f"atlas.client.type=memory\n{line}\n")
        assert SECRET not in output_of(lambda: main(["config", "--all"])), line
