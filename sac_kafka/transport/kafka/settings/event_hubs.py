"""Adapt client settings to Azure Event Hubs and check its connection strings.

Event Hubs, which is also Purview's Kafka, is recognized by the host name. Messages never contain a key.
Sources: Microsoft's "Apache Kafka client configurations for Azure Event Hubs", its quotas and its troubleshooting guide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sac_kafka.errors import ConfigurationError

USER = "$ConnectionString"
PORT = "9093"
MESSAGE_BYTES = 1_000_000
"""Maximum batch size. The service accepts 1 MB, and closes the connection on requests above 1,046,528 bytes."""
RECORD_BYTES = MESSAGE_BYTES - 4096
"""Maximum size of a record's value; the overhead of a batch is far less than the difference."""

EVENT_HUBS: Mapping[str, str] = {
    # Azure closes connections that are idle for 240 s; the service recommends 60 s for requests.
    "connections.max.idle.ms": "180000",
    "topic.metadata.refresh.interval.ms": "180000",
    "metadata.max.age.ms": "180000",
    "socket.keepalive.enable": "true",
    "request.timeout.ms": "60000",
    "socket.timeout.ms": "61000",
    "message.max.bytes": str(MESSAGE_BYTES),
    "batch.size": "900000",
    # With the permission Manage the service would create a missing event hub, which Purview does not read.
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
_IDLE_LIMIT_MS = 240_000
_MECHANISMS = ("PLAIN", "OAUTHBEARER")
_HOST = ".servicebus."
_ENDPOINT = "endpoint"
_SIGNATURE = "sharedaccesssignature"
_NEEDED = ("Endpoint", "SharedAccessKeyName", "SharedAccessKey")
_PATH = "entitypath"
_FORM = "Endpoint=sb://NAMESPACE.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…"


def is_event_hubs(servers: Sequence[str]) -> bool:
    """Return whether one of the `host:port` belongs to Event Hubs, in any Azure cloud."""
    return any(_HOST in server.lower() for server in servers)


def namespace_host(servers: Sequence[str]) -> str:
    """Return the host of the first `host:port` that belongs to Event Hubs, "" without one.

    >>> namespace_host(["SASL_SSL://Contoso.servicebus.windows.net:9093"])
    'contoso.servicebus.windows.net'
    """
    hosts = (server.strip().rpartition("://")[2].rpartition(":")[0].lower() for server in servers)
    return next((host for host in hosts if _HOST in host), "")


def fit(config: dict[str, str], size_key: str) -> list[str]:
    """Replace unsupported values in a client's settings and return warnings.

    Args:
        config: The settings, including security.
        size_key: The client's key for the maximum message size.

    Raises:
        ConfigurationError: The service does not support the protocol or a port.
    """
    warnings = []
    if int(config[size_key]) > MESSAGE_BYTES:
        warnings.append(f"atlas.kafka.max.request.size is lowered to {MESSAGE_BYTES} for Event Hubs")
        config[size_key] = str(MESSAGE_BYTES)
    if config.get("compression.type", "none").lower() not in ("none", "gzip"):
        codec = config["compression.type"]
        warnings.append(f"atlas.kafka.compression.type = {codec} is ignored: Event Hubs supports none and gzip")
        config["compression.type"] = "none"
    if config["security.protocol"].lower() != "sasl_ssl":
        raise ConfigurationError(
            f"atlas.kafka.security.protocol = {config['security.protocol'].upper()}: Event Hubs supports only SASL_SSL; set it"
        )
    mechanism = config.get("sasl.mechanism", "").upper()
    if mechanism and mechanism not in _MECHANISMS:
        warnings.append(
            f"atlas.kafka.sasl.mechanism = {mechanism}: Event Hubs supports only {' and '.join(_MECHANISMS)}; the login will "
            "fail: set it to PLAIN, with the connection string as the password"
        )
    idle = config.get("connections.max.idle.ms", "")
    if idle.lstrip("-").isdecimal() and not 0 < int(idle) < _IDLE_LIMIT_MS:
        warnings.append(
            f"atlas.kafka.connections.max.idle.ms = {idle}: Azure closes connections that are idle for {_IDLE_LIMIT_MS} ms; "
            "remove it, or set a lower value"
        )
    for server in map(str.strip, config["bootstrap.servers"].split(",")):
        if _HOST in server.lower() and server.rpartition(":")[2] != PORT:
            raise ConfigurationError(
                f"atlas.kafka.bootstrap.servers = {server}: Event Hubs supports Kafka only on port {PORT}; write {PORT}"
            )
    return warnings


def check_login(servers: Sequence[str], topic: str, username: str, password: str, place: str) -> list[str]:
    """Check user name and password of a PLAIN login; return warnings about probable errors.

    Args:
        servers: The `host:port` of the bootstrap servers, optionally prefixed by a listener name (`SASL_SSL://`).
        topic: The topic to write to; not checked if empty.
        username: The user name.
        password: The password.
        place: Where both are set, for error messages.

    Raises:
        ConfigurationError: The service would reject the login.
    """
    if username != USER:
        raise ConfigurationError(
            f"{place}: the user name must be {USER} for Event Hubs; write it literally, and the connection string as the "
            "password"
        )
    parts = _parts(password)
    if _SIGNATURE in parts or password.startswith("SharedAccessSignature "):
        raise ConfigurationError(
            f"{place}: the password is a shared access signature, which Event Hubs does not accept from Kafka clients; use "
            f"the connection string: {_FORM}"
        )
    missing = [name for name in _NEEDED if not parts.get(name.lower())]
    if missing:
        raise ConfigurationError(
            f"{place}: the password is not a connection string of Event Hubs: {' and '.join(missing)} missing; copy all of "
            f"it, as in {_FORM} (a value with ; must be in double quotes)"
        )
    return list(_mismatches(servers, topic, parts, place))


def _parts(text: str) -> dict[str, str]:
    """Split a connection string into its parts, by name in lower case, because Azure ignores case."""
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, _, value in pairs if name.strip()}


def _mismatches(servers: Sequence[str], topic: str, parts: Mapping[str, str], place: str) -> Iterator[str]:
    scheme, _, rest = parts[_ENDPOINT].partition("://")
    endpoint = rest.split("/")[0].split(":")[0].lower()
    hosts = [server.rpartition("://")[2].rpartition(":")[0].lower() for server in servers]
    if scheme.lower() != "sb" or not endpoint:
        yield f"{place}: the Endpoint of the connection string is not sb://NAMESPACE.servicebus.windows.net/"
    elif endpoint not in hosts:
        yield (
            f"{place}: the connection string is for {endpoint}, but atlas.kafka.bootstrap.servers is {','.join(hosts)}; "
            "unless one is an alias of the other, the login will fail: use the same namespace in both"
        )
    hub = parts.get(_PATH, "")
    if hub and topic and hub.lower() != topic.lower():
        yield (
            f"{place}: the connection string is only for the event hub {hub} (EntityPath), but the topic is {topic}; set "
            f"atlas.notification.hook.topic.name = {hub}, or use the namespace's connection string"
        )
