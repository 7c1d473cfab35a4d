"""Clients of the endpoint: plain ones of librdkafka, and the hook's own settings."""

from __future__ import annotations

from collections.abc import Sequence

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Failure, Transport
from sac_kafka.transport.factory import make_transport
from stack.properties import login_module
from tests.helpers.waiting import until
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import USER

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def file_of(endpoint: Endpoint, connection_string: str, **changes: str) -> dict[str, str]:
    """Return the properties file of a user: the namespace's real name, and the address of the tests' endpoint.

    `changes` are settings of Kafka's client, with `_` for `.`.
    """
    kafka = {
        "bootstrap.servers": f"{endpoint.namespace.host}:9093",
        "librdkafka.bootstrap.servers": f"localhost:{endpoint.port}",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": login_module(PLAIN, {"username": USER, "password": connection_string}),
        "ssl.truststore.location": str(endpoint.ca),
        **{name.replace("_", "."): text for name, text in changes.items()},
    }
    return {"atlas.metadata.namespace": "dev", **{f"atlas.kafka.{key}": text for key, text in kafka.items()}}


def transport(endpoint: Endpoint, connection_string: str, **changes: str) -> Transport:
    """Return the hook's transport, without a spool."""
    return make_transport(Settings.read(file_of(endpoint, connection_string, **changes), "test"))


def await_outcomes(to: Transport, outcomes: Sequence[Failure | None], count: int) -> None:
    """Wait until so many records have their outcome, as the worker does.

    `flush` would give up on a service that takes seconds for its first answer, which suits callers that keep records.
    """
    until(lambda: to.service(0.05) or len(outcomes) >= count, to.problem)


def token_file(endpoint: Endpoint, token: str, **changes: str) -> dict[str, str]:
    """Return the file of a user who logs in with Entra ID: no connection string, a token in place of an identity."""
    settings = file_of(endpoint, "", sasl_mechanism="OAUTHBEARER", **changes)
    del settings["atlas.kafka.sasl.jaas.config"]
    return {**settings, "atlas.hook.spark.entra.token": token}
