"""The template of `sac-kafka config --template`, each of its blocks, and the file for the local stack, read end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sac_kafka.settings import Settings, describe
from sac_kafka.settings.files.properties import load_properties
from sac_kafka.settings.sinks import ClientType
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from stack.certificates import make_certificates

ROOT = Path(__file__).parents[4]
LOCAL = ROOT / "atlas-application.properties"
TEMPLATE = ROOT / "sac_kafka/settings/template.properties"


def settings_of(path: Path, environment: dict[str, str] | None = None) -> Settings:
    return Settings.read(load_properties(path, {}, environment or {}).values, str(path))


def variant(tmp_path: Path, chosen: str, instead: tuple[str, str] = ("", "")) -> Path:
    """Uncomment the chosen block, as the template asks for."""
    lines = []
    block = ""
    for line in TEMPLATE.read_text().replace(*instead).splitlines():
        if line.startswith("# --- "):
            block = line.removeprefix("# --- ")
        elif line.startswith("# ==="):
            block = ""
        is_setting = line.startswith(("#atlas.", "#    "))
        lines.append(line.removeprefix("#") if block.startswith(chosen) and is_setting else line)
    path = tmp_path / "atlas-application.properties"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def local_ca(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Create the trust store that the template names, relative to the user's job."""
    made = make_certificates(tmp_path / "build/stack/kafka/certificates")
    monkeypatch.chdir(tmp_path)
    return made.ca.read_text()


def test_every_line_of_the_template_is_a_comment() -> None:
    assert [line for line in TEMPLATE.read_text().splitlines() if line and not line.startswith("#")] == []


def test_the_command_prints_the_template(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--template"]) == 0
    assert capsys.readouterr().out == TEMPLATE.read_text()


def test_the_local_file_is_right_for_the_local_stack(local_ca: str) -> None:
    settings = settings_of(LOCAL)
    assert (settings.names.namespace, settings.names.namespace_is_default) == ("dev", False)
    assert (settings.sink.client_type, settings.sink.topic) == (ClientType.KAFKA, "ATLAS_HOOK")
    translation = translate(settings.kafka.properties, settings.content.message_max_bytes)
    assert translation.warnings == ()
    expected = {
        "bootstrap.servers": "localhost:9093",
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "$ConnectionString",
        "sasl.password": "Endpoint=sb://localhost/;SharedAccessKeyName=local;SharedAccessKey=local-only-not-a-secret=",
        "ssl.ca.pem": local_ca,
    }
    assert {key: translation.config[key] for key in expected} == expected


def test_event_hubs_variant_reads_the_connection_string_from_the_environment(tmp_path: Path) -> None:
    connection = "Endpoint=sb://NAMESPACE.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=abc/d+e="
    settings = settings_of(variant(tmp_path, "Microsoft Purview"), {"EVENT_HUBS_CONNECTION_STRING": connection})
    translation = translate(settings.kafka.properties, settings.content.message_max_bytes)
    assert translation.warnings == ()
    assert translation.config["sasl.password"] == connection
    assert translation.config["sasl.username"] == "$ConnectionString"
    assert translation.config["connections.max.idle.ms"] == "180000"


def test_the_scram_variant(tmp_path: Path) -> None:
    trust = make_certificates(tmp_path / "ca").ca
    block = variant(tmp_path, "Apache Atlas with Kafka, user", ("/etc/ssl/kafka-ca.pem", str(trust)))
    settings = settings_of(block, {"KAFKA_PASSWORD": "p"})
    config = translate(settings.kafka.properties).config
    assert (config["sasl.mechanism"], config["sasl.username"], config["sasl.password"]) == (
        "SCRAM-SHA-512",
        "lineage",
        "p",
    )
    assert config["bootstrap.servers"] == "broker1.example.com:9093,broker2.example.com:9093"


def test_the_file_variant(tmp_path: Path) -> None:
    path = variant(tmp_path, "To try it", ("#atlas.client.type=console", ""))
    path.write_text(path.read_text().replace("lineage.jsonl", f"{tmp_path}/l.jsonl"))
    transport = make_transport(settings_of(path))
    transport.send(Record("ATLAS_HOOK", None, (b'{"a": 1}',)), lambda failure: None)
    transport.close(0)
    assert json.loads((tmp_path / "l.jsonl").read_text()) == {"a": 1}


def test_the_variants_without_log_in_and_over_http(tmp_path: Path) -> None:
    settings = settings_of(variant(tmp_path, "Apache Atlas with Kafka, without"))
    assert translate(settings.kafka.properties).config["security.protocol"] == "plaintext"
    settings = settings_of(variant(tmp_path, "Apache Atlas over HTTP"), {"ATLAS_PASSWORD": "p"})
    assert make_transport(settings).name == "rest https://atlas.example.com:21443"
    assert (settings.rest.user, settings.rest.password) == ("lineage", "p")


def test_every_key_of_the_template_is_known() -> None:
    known = {key for setting in describe() for key in setting.keys}
    keys = set(re.findall(r"(?m)^#?(atlas\.[\w.]+)=", TEMPLATE.read_text()))
    assert {key for key in keys if not key.startswith("atlas.kafka.")} <= known
