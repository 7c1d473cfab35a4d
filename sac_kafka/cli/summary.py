"""What a configuration comes to, in one line: where messages go, as whom, by which names, and what keeps them."""

from __future__ import annotations

from sac_kafka.config.secrets import mask_said, masked
from sac_kafka.settings import Settings
from sac_kafka.transport.http import shown_address
from sac_kafka.transport.kafka.settings.checking import protocol_of
from sac_kafka.transport.spool.directory import found_directory


def summary(settings: Settings, user: str = "", protocol: str = "") -> str:
    """Give the line.

    Args:
        settings: What is in force.
        user: Who logs in to Kafka with a password, if that is known.
        protocol: The one in force, where it may be another than that of the settings.
    """
    default = " (the default)" if settings.namespace_is_default else ""
    kept = f"spool {mask_said(str(found_directory(settings.spool_dir)))}" if settings.spool_enabled else "no spool"
    return ", ".join((sink(settings, user, protocol), f"names @{mask_said(settings.namespace)}{default}", kept))


def sink(settings: Settings, user: str = "", protocol: str = "") -> str:
    """Give where messages go, and as whom; the arguments are those of `summary`."""
    if settings.client_type == "file":
        return f"file {mask_said(settings.client_file_path or '')}"
    if settings.client_type == "rest":
        addresses = ", ".join(shown_address(each.strip()) for each in (settings.rest_address or "").split(","))
        user_name = mask_said(settings.rest_user or "")
        who = "with a token" if settings.rest_token else f"as {user_name}" if user_name else "as nobody"
        return f"rest {addresses} ({who}), topic {mask_said(settings.topic)}"
    if settings.client_type != "kafka":
        return settings.client_type
    protocol = protocol or protocol_of(settings.kafka)
    how = protocol
    if protocol.startswith("SASL_"):
        mechanism = settings.kafka.get("sasl.mechanism", "").strip().upper() or "GSSAPI"
        how += f", {mechanism}{f' as {mask_said(user)}' if user else ''}"
    servers = ",".join(each.strip() for each in settings.kafka.get("bootstrap.servers", "").split(","))
    return f"kafka {masked('bootstrap.servers', servers)} ({how}), topic {mask_said(settings.topic)}"
