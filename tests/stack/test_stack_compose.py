"""docker-compose.yml describes the broker that `python -m stack kafka` runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from stack.atlas import TOPICS
from stack.container import DATA_FOLDER, IMAGE, KEY_STORE
from stack.kafka import CONNECTION_STRING_USER
from stack.local import ATLAS_PORT, PASSWORD, PLAINTEXT_PORT, SASL_SSL_PORT, WORK
from stack.server_properties import CLUSTER_ID, Layout, Ports, environment, server_properties

FILE = Path(__file__).parents[2] / "docker-compose.yml"
COMPOSE = FILE.read_text()
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE)["services"]
CONTROLLER_PORT = 9094
LAYOUT = Layout(
    bind_host="0.0.0.0",
    ports=Ports(PLAINTEXT_PORT, SASL_SSL_PORT, CONTROLLER_PORT),
    data_folder=DATA_FOLDER,
    key_store=KEY_STORE,
    passwords={CONNECTION_STRING_USER: PASSWORD},
)


def variables() -> dict[str, str]:
    """The variables of the broker, as its container gets them."""
    found = SERVICES["kafka"]["environment"]
    return {name: value.replace("$$", "$") for name, value in found.items()}


def property_name(variable: str) -> str:
    """What the start program of Kafka's image makes of a variable's name."""
    name = variable.removeprefix("KAFKA_").lower().replace("_", ".")
    return name.replace("...", "-").replace("..", "_")


def test_the_settings_are_those_of_the_local_process() -> None:
    found = variables()
    assert found.pop("CLUSTER_ID") == CLUSTER_ID
    assert {property_name(name): value for name, value in found.items()} == server_properties(LAYOUT)
    assert found == environment(server_properties(LAYOUT))


def test_a_dollar_is_never_a_compose_variable() -> None:
    assert "$" not in re.sub(r"#.*", "", COMPOSE).replace("$$", "")


def test_addresses_topics_and_the_ca_are_the_same() -> None:
    for port in (PLAINTEXT_PORT, SASL_SSL_PORT, ATLAS_PORT):
        assert f'- "127.0.0.1:{port}:{port}"' in COMPOSE
    assert f"for topic in {' '.join(TOPICS)}; do" in COMPOSE
    assert f"{WORK}/kafka/certificates/ca.pem" in COMPOSE
    assert COMPOSE.count(f"image: {IMAGE}\n") == 2


def test_no_listener_is_named_as_the_image_would_take_for_its_own_key_store_rules() -> None:
    advertised = server_properties(LAYOUT)["advertised.listeners"]
    assert "SSL://" not in advertised
    assert re.search(r"SASL_.*://", advertised) is None


def test_it_is_a_compose_file() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_published_beyond_this_machine() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(published) == 3
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_each_waits_for_what_it_needs() -> None:
    waits = {name: service.get("depends_on", {}) for name, service in SERVICES.items()}
    assert {name: {of: how["condition"] for of, how in needed.items()} for name, needed in waits.items()} == {
        "certificates": {},
        "kafka": {"certificates": "service_completed_successfully"},
        "topics": {"kafka": "service_healthy"},
        "atlas": {"topics": "service_completed_successfully"},
        "spark": {"atlas": "service_healthy"},
    }
    for needed in waits.values():
        for name, how in needed.items():
            assert ("healthcheck" in SERVICES[name]) == (how["condition"] == "service_healthy")
