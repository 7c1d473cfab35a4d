"""Summarise a configuration in one line: sink, user, namespace and spool."""

from __future__ import annotations

from sac_kafka.hook.dialects import is_purview
from sac_kafka.masking import mask_value
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import found_directory


def summary(settings: Settings, place: str = "") -> str:
    """Return the summary; `place` describes sink and user, if more is known than the settings have."""
    default = " (the default)" if settings.names.namespace_is_default else ""
    kept = f"spool {mask_value(str(found_directory(settings.spool.dir)))}" if settings.spool.enabled else "no spool"
    dialect = ("dialect purview",) if is_purview(settings) else ()
    return ", ".join(
        (place or sink(settings), *dialect, f"names @{mask_value(settings.names.namespace)}{default}", kept)
    )


def sink(settings: Settings) -> str:
    """Return the description of sink and user."""
    return sink_of(settings).describe(settings)
