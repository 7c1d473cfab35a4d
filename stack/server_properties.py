"""The settings of the broker, the same for the local process, a container and docker-compose.yml (a test compares).

One KRaft node, two listeners for clients: PLAINTEXT, and SASL_SSL with the mechanism PLAIN as Event Hubs has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stack.properties import java_value, login_module

Protocol = Literal["PLAINTEXT", "SASL_SSL"]
PLAIN_LOGIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
CLUSTER_ID = "c2FjX2thZmthX3N0YWNrXw"  # any 22 base64url characters
ADVERTISED_HOST = "localhost"

# The SASL_SSL listener's name must not end in "SSL": at such a name the start script of Kafka's container image asks
# for a key store with a password, which a PEM key store must not have.
LISTENER_NAMES: Mapping[Protocol, str] = {"PLAINTEXT": "PLAINTEXT", "SASL_SSL": "SECURE"}


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of one node; clients use the first two."""

    plaintext: int
    sasl_ssl: int
    controller: int

    def of(self, protocol: Protocol) -> int:
        """Return the port of a listener for clients."""
        return {"PLAINTEXT": self.plaintext, "SASL_SSL": self.sasl_ssl}[protocol]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a broker finds and keeps its things, seen from where it runs."""

    bind_host: str
    ports: Ports
    data_folder: str
    key_store: str
    passwords: Mapping[str, str]


def server_properties(layout: Layout) -> dict[str, str]:
    """Return the settings of a broker with this layout."""
    return {**_listeners(layout), **_security(layout), **_ONE_NODE, **_SMALL, "log.dirs": layout.data_folder}


def environment(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the settings as the variables that the start program of Kafka's container image turns back into a file.

    >>> environment({"log.dirs": "/data", "a_b.c-d": "1"})
    {'KAFKA_LOG_DIRS': '/data', 'KAFKA_A__B_C___D': '1'}
    """
    return {
        "KAFKA_" + key.replace("_", "__").replace("-", "___").replace(".", "_").upper(): java_value(value)
        for key, value in properties.items()
    }


def _listeners(layout: Layout) -> dict[str, str]:
    names: list[tuple[str, int, Protocol]] = [
        (name, layout.ports.of(protocol), protocol) for protocol, name in LISTENER_NAMES.items()
    ]
    listeners = [f"{name}://{layout.bind_host}:{port}" for name, port, _ in names]
    controller = layout.ports.controller
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join([*listeners, f"CONTROLLER://127.0.0.1:{controller}"]),
        "advertised.listeners": ",".join(f"{name}://{ADVERTISED_HOST}:{port}" for name, port, _ in names),
        "inter.broker.listener.name": LISTENER_NAMES["PLAINTEXT"],
        "listener.security.protocol.map": ",".join(
            ["CONTROLLER:PLAINTEXT", *(f"{name}:{protocol}" for name, _, protocol in names)]
        ),
    }


def _security(layout: Layout) -> dict[str, str]:
    users = {f"user_{user}": password for user, password in layout.passwords.items()}
    secure = LISTENER_NAMES["SASL_SSL"].lower()
    return {
        "sasl.enabled.mechanisms": "PLAIN",
        f"listener.name.{secure}.plain.sasl.jaas.config": login_module(PLAIN_LOGIN_MODULE, users),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": layout.key_store,
    }


_ONE_NODE = {
    "auto.create.topics.enable": "false",
    "num.partitions": "1",
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    # With the default of 9000 a restarted node is refused that long, for its own earlier session.
    "broker.session.timeout.ms": "1500",
    "broker.heartbeat.interval.ms": "250",
}

_SMALL = {
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    "num.recovery.threads.per.data.dir": "1",
    "log.cleaner.threads": "1",
    "log.cleaner.dedupe.buffer.size": "2097152",
}
