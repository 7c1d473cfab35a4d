"""Azure Event Hubs as a Kafka broker: what its service asks of a client, and what is wrong with a connection string.

Purview's own Kafka is one. Recognised by the host name; messages never show a key.
Sources: Microsoft's "Apache Kafka client configurations for Azure Event Hubs", its quotas and its troubleshooting guide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.errors import ConfigurationError

USER = "$ConnectionString"
PORT = "9093"
MESSAGE_BYTES = 1_000_000
"""The longest batch. The service takes publications of 1 MB, and closes the connection on requests above 1,046,528 bytes."""
RECORD_BYTES = MESSAGE_BYTES - 4096
"""The longest value of a record: what a batch has around it is far less."""

EVENT_HUBS: Mapping[str, str] = {
    # Azure drops connections that are silent for 240 s; the service wants 60 s for requests
    "connections.max.idle.ms": "180000",
    "topic.metadata.refresh.interval.ms": "180000",
    "metadata.max.age.ms": "180000",
    "socket.keepalive.enable": "true",
    "request.timeout.ms": "60000",
    "socket.timeout.ms": "61000",
    "message.max.bytes": str(MESSAGE_BYTES),
    "batch.size": "900000",
    # with the right Manage the service makes an event hub that is asked for, and Purview would not read from it
    "allow.auto.create.topics": "false",
}
JAVA_EVENT_HUBS: Mapping[str, str] = {
    "connections.max.idle.ms": "180000",
    "metadata.max.age.ms": "180000",
    "metadata.max.idle.ms": "180000",
    "request.timeout.ms": "60000",
    "max.request.size": str(MESSAGE_BYTES),
}
"""The same for Kafka's Java client."""
_DROPPED_AFTER_MS = 240_000
_MECHANISMS = ("PLAIN", "OAUTHBEARER")
_HOST = ".servicebus."
_ENDPOINT = "endpoint"
_SIGNATURE = "sharedaccesssignature"
_NEEDED = ("Endpoint", "SharedAccessKeyName", "SharedAccessKey")
_PATH = "entitypath"
_FORM = "Endpoint=sb://NAMESPACE.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…"


def is_event_hubs(servers: Sequence[str]) -> bool:
    """Whether one of the `host:port` is of Azure Event Hubs, in whichever of Azure's clouds."""
    return any(_HOST in server.lower() for server in servers)


def namespace_host(servers: Sequence[str]) -> str:
    """Give the host of the first `host:port` that is of Event Hubs, "" where none is.

    >>> namespace_host(["SASL_SSL://Contoso.servicebus.windows.net:9093"])
    'contoso.servicebus.windows.net'
    """
    hosts = (server.strip().rpartition("://")[2].rpartition(":")[0].lower() for server in servers)
    return next((host for host in hosts if _HOST in host), "")


def fit(config: dict[str, str], size_key: str) -> list[str]:
    """Replace in a client's settings what the service does not take; gives warnings.

    Args:
        config: The settings, those of security included.
        size_key: The client's name of the longest message's bytes.

    Raises:
        ConfigurationError: The protocol or a port is one that the service does not have.
    """
    warnings = []
    if int(config[size_key]) > MESSAGE_BYTES:
        warnings.append(f"atlas.kafka.max.request.size is lowered to {MESSAGE_BYTES} for Event Hubs")
        config[size_key] = str(MESSAGE_BYTES)
    if config.get("compression.type", "none").lower() not in ("none", "gzip"):
        codec = config["compression.type"]
        warnings.append(f"atlas.kafka.compression.type = {codec} is not used: Event Hubs takes none or gzip")
        config["compression.type"] = "none"
    if config["security.protocol"].lower() != "sasl_ssl":
        raise ConfigurationError(
            f"atlas.kafka.security.protocol = {config['security.protocol'].upper()}: Event Hubs has only SASL_SSL; set it"
        )
    mechanism = config.get("sasl.mechanism", "").upper()
    if mechanism and mechanism not in _MECHANISMS:
        warnings.append(
            f"atlas.kafka.sasl.mechanism = {mechanism}: Event Hubs takes {' and '.join(_MECHANISMS)} alone; the log-in will "
            "fail: set it to PLAIN, with the connection string as the password"
        )
    idle = config.get("connections.max.idle.ms", "")
    if idle.lstrip("-").isdecimal() and not 0 < int(idle) < _DROPPED_AFTER_MS:
        warnings.append(
            f"atlas.kafka.connections.max.idle.ms = {idle}: Azure drops connections that are silent for {_DROPPED_AFTER_MS} ms; "
            "leave it out, or set less"
        )
    for server in map(str.strip, config["bootstrap.servers"].split(",")):
        if _HOST in server.lower() and server.rpartition(":")[2] != PORT:
            raise ConfigurationError(
                f"atlas.kafka.bootstrap.servers = {server}: Event Hubs listens for Kafka on port {PORT} only; write {PORT}"
            )
    return warnings


def check_login(servers: Sequence[str], topic: str, username: str, password: str, place: str) -> list[str]:
    """Check user and password of a log-in with PLAIN; gives warnings about what may be wrong.

    Args:
        servers: The `host:port` of the bootstrap servers, also with a listener's name before them (`SASL_SSL://`).
        topic: The topic that will be written to; empty: not checked.
        username: The user.
        password: The password.
        place: Where both are set, for error messages.

    Raises:
        ConfigurationError: The service will refuse them for certain.
    """
    if username != USER:
        raise ConfigurationError(
            f"{place}: the user is not {USER}, the one user that Event Hubs knows; write it literally, and the connection "
            "string as the password"
        )
    parts = _parts(password)
    if _SIGNATURE in parts or password.startswith("SharedAccessSignature "):
        raise ConfigurationError(
            f"{place}: the password is a shared access signature, which Event Hubs does not take from Kafka clients; give "
            f"the connection string: {_FORM}"
        )
    missing = [name for name in _NEEDED if not parts.get(name.lower())]
    if missing:
        raise ConfigurationError(
            f"{place}: the password is no connection string of Event Hubs: {' and '.join(missing)} missing; copy it whole, "
            f"as in {_FORM} (a value with ; must be in double quotes)"
        )
    return list(_doubts(servers, topic, parts, place))


def _parts(text: str) -> dict[str, str]:
    """Give the parts by their names in lower case, as Azure's own readers compare them."""
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _doubts(servers: Sequence[str], topic: str, parts: Mapping[str, str], place: str) -> Iterator[str]:
    scheme, _, rest = parts[_ENDPOINT].partition("://")
    endpoint = rest.split("/")[0].split(":")[0].lower()
    hosts = [server.rpartition("://")[2].rpartition(":")[0].lower() for server in servers]
    if scheme.lower() != "sb" or not endpoint:
        yield f"{place}: the Endpoint of the connection string is not sb://NAMESPACE.servicebus.windows.net/"
    elif endpoint not in hosts:
        yield (
            f"{place}: the connection string is of {endpoint}, but atlas.kafka.bootstrap.servers is {','.join(hosts)}; "
            "unless one is an alias of the other the log-in will fail: take both from the same namespace"
        )
    hub = parts.get(_PATH, "")
    if hub and topic and hub.lower() != topic.lower():
        yield (
            f"{place}: the connection string is for the event hub {hub} alone (EntityPath), but the topic is {topic}; set "
            f"atlas.notification.hook.topic.name = {hub}, or take the namespace's connection string"
        )
