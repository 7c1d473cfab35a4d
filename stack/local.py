"""Kafka and Atlas together on this machine: what `python -m stack up` runs and `docker-compose.yml` has in containers.

The data of both stay in the work folder from one run to the next, so that a hook that remembers what it has sent is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stack.atlas import TOPICS, AtlasServer, choose_atlas_ports
from stack.errors import StackError
from stack.files import tail, write_private
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker, choose_ports
from stack.properties import atlas_properties, login_module
from stack.server_properties import PLAIN_LOGIN_MODULE

WORK = Path("build/stack")
PLAINTEXT_PORT = 9092
SASL_SSL_PORT = 9093
ATLAS_PORT = 21000
NAMESPACE = "local"

# Fixed and public, so that the repository's template of atlas-application.properties fits: it guards a broker on
# loopback that anybody on this machine reaches without any password on the other port.
PASSWORD = "Endpoint=sb://localhost/;SharedAccessKeyName=local;SharedAccessKey=local-only-not-a-secret="


@dataclass(frozen=True, slots=True)
class LocalPorts:
    """The ports for clients; zero for any free one."""

    plaintext: int = PLAINTEXT_PORT
    sasl_ssl: int = SASL_SSL_PORT
    atlas: int = ATLAS_PORT


class LocalStack:
    """One Kafka, the topics, and one Atlas that knows the types and reads from it.

    Args:
        work: The folder for everything; Kafka has the same place in it as with `python -m stack kafka`.
        ports: Where clients reach them.
    """

    def __init__(self, work: Path, ports: LocalPorts = LocalPorts()) -> None:
        self.work = work.absolute()
        self.properties_file = self.work / "atlas-application.properties"
        self.kafka = KafkaBroker(
            self.work / "kafka",
            ports=choose_ports(ports.plaintext, ports.sasl_ssl),
            passwords={CONNECTION_STRING_USER: PASSWORD},
        )
        self.atlas = AtlasServer(
            self.work / "atlas",
            self.kafka.bootstrap("PLAINTEXT"),
            ports=choose_atlas_ports(ports.atlas),
            keep=True,
        )

    def start(self) -> None:
        """Start both, and write the configuration of a hook for them.

        Raises:
            StackError: One of them does not come up; the other is ended then.
        """
        try:
            self.kafka.start()
            for topic in TOPICS:
                self.kafka.create_topic(topic)
            self.atlas.start()
        except BaseException:
            self.stop()
            raise
        write_private(self.properties_file, atlas_properties(self.properties()))

    def stop(self) -> None:
        """End both in order; nothing happens to one that does not run."""
        self.atlas.stop()
        self.kafka.stop()

    def require_running(self) -> None:
        """Raise if one of them has ended by itself."""
        for name, pid, log in (
            ("Kafka", self.kafka.pid, self.kafka.log),
            ("Atlas", self.atlas.pid, self.atlas.logs.application),
        ):
            if pid is None:
                raise StackError(f"{name} has ended by itself. The end of {log}:\n{tail(log)}")

    def properties(self) -> dict[str, str]:
        """Return the settings of a hook that sends to this Kafka, and of commands that ask this Atlas."""
        user, password = self.atlas.credentials.username, self.atlas.credentials.password
        return {
            **client_properties(self.kafka),
            "atlas.rest.address": self.atlas.url,
            "atlas.rest.basic.auth.username": user,
            "atlas.rest.basic.auth.password": password,
        }

    def description(self) -> dict[str, str]:
        """Return what a user needs to know, by its name: addresses, passwords, files."""
        return {
            **describe_kafka(self.kafka),
            "Atlas": self.atlas.url,
            "Atlas user": self.atlas.credentials.username,
            "Atlas password": self.atlas.credentials.password,
            "Atlas logs": str(self.atlas.layout.logs),
            "properties": str(self.properties_file),
        }


def describe_kafka(kafka: KafkaBroker) -> dict[str, str]:
    """Return what a user needs to know of the broker."""
    user, password = kafka.credentials
    return {
        "PLAINTEXT": kafka.bootstrap("PLAINTEXT"),
        "SASL_SSL": f"{kafka.bootstrap('SASL_SSL')}   (mechanism PLAIN)",
        "user": user,
        "password": f"{password}   (local only)",
        "CA file": str(kafka.ca_file),
        "topics": ", ".join(TOPICS),
        "log": str(kafka.log),
    }


def as_table(rows: Mapping[str, str]) -> str:
    """Return rows for a terminal, one a line.

    >>> print(as_table({"user": "alice", "CA file": "/ca.pem"}))
      user:     alice
      CA file:  /ca.pem
    """
    width = max(len(name) for name in rows) + 3
    return "\n".join(f"  {name + ':':<{width}}{value}" for name, value in rows.items())


def client_properties(kafka: KafkaBroker) -> dict[str, str]:
    """Return the settings of atlas-application.properties that lead to the SASL_SSL listener of this broker."""
    user, password = kafka.credentials
    return {
        "atlas.metadata.namespace": NAMESPACE,
        "atlas.kafka.bootstrap.servers": kafka.bootstrap("SASL_SSL"),
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.kafka.sasl.jaas.config": login_module(PLAIN_LOGIN_MODULE, {"username": user, "password": password}),
        "atlas.kafka.ssl.truststore.type": "PEM",
        "atlas.kafka.ssl.truststore.location": str(kafka.ca_file),
    }
