"""docker-compose.yml describes the broker that `python -m stack kafka` runs."""

from __future__ import annotations

import re
from pathlib import Path

from stack.atlas import TOPICS
from stack.container import DATA_FOLDER, IMAGE, KEY_STORE
from stack.kafka import CONNECTION_STRING_USER
from stack.local import PASSWORD, PLAINTEXT_PORT, SASL_SSL_PORT, WORK
from stack.server_properties import CLUSTER_ID, Layout, Ports, environment, server_properties

COMPOSE = (Path(__file__).parents[2] / "docker-compose.yml").read_text()
CONTROLLER_PORT = 9094
LAYOUT = Layout(
    bind_host="0.0.0.0",
    ports=Ports(PLAINTEXT_PORT, SASL_SSL_PORT, CONTROLLER_PORT),
    data_folder=DATA_FOLDER,
    key_store=KEY_STORE,
    passwords={CONNECTION_STRING_USER: PASSWORD},
)


def variables() -> dict[str, str]:
    """The variables of the broker; each is one `NAME: "value"` line, so that no YAML reader is needed."""
    rows = re.findall(r"""^ {6}([A-Z][A-Z_]*): (["'])(.*)\2$""", COMPOSE, re.MULTILINE)
    return {name: value.replace("$$", "$") for name, _, value in rows}


def property_name(variable: str) -> str:
    """What the start program of Kafka's image makes of a variable's name."""
    name = variable.removeprefix("KAFKA_").lower().replace("_", ".")
    return name.replace("...", "-").replace("..", "_")


def test_the_settings_are_those_of_the_local_process() -> None:
    found = variables()
    assert found.pop("CLUSTER_ID") == CLUSTER_ID
    assert {property_name(name): value for name, value in found.items()} == server_properties(LAYOUT)
    assert found == environment(server_properties(LAYOUT))


def test_every_variable_of_the_broker_was_read() -> None:
    assert len(re.findall(r"^ +KAFKA_", COMPOSE, re.MULTILINE)) == len(variables()) - 1


def test_a_dollar_is_never_a_compose_variable() -> None:
    assert "$" not in re.sub(r"#.*", "", COMPOSE).replace("$$", "")


def test_addresses_topics_and_the_ca_are_the_same() -> None:
    for port in (PLAINTEXT_PORT, SASL_SSL_PORT):
        assert f'- "127.0.0.1:{port}:{port}"' in COMPOSE
    assert f"for topic in {' '.join(TOPICS)}; do" in COMPOSE
    assert f"{WORK}/kafka/certificates/ca.pem" in COMPOSE
    assert COMPOSE.count(f"image: {IMAGE}\n") == 2


def test_no_listener_is_named_as_the_image_would_take_for_its_own_key_store_rules() -> None:
    advertised = server_properties(LAYOUT)["advertised.listeners"]
    assert "SSL://" not in advertised
    assert re.search(r"SASL_.*://", advertised) is None
