"""What a configuration comes to, in one line: where messages go, as whom, by which names, and what keeps them."""

from __future__ import annotations

from sac_kafka.config.secrets import mask_value
from sac_kafka.dialects import is_purview
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.spool.directory import found_directory


def summary(settings: Settings, place: str = "") -> str:
    """Give the line; `place` is where messages go, and as whom, where more is known of it than the settings say."""
    default = " (the default)" if settings.names.namespace_is_default else ""
    kept = f"spool {mask_value(str(found_directory(settings.spool.dir)))}" if settings.spool.enabled else "no spool"
    dialect = ("dialect purview",) if is_purview(settings) else ()
    return ", ".join(
        (place or sink(settings), *dialect, f"names @{mask_value(settings.names.namespace)}{default}", kept)
    )


def sink(settings: Settings) -> str:
    """Give where messages go, and as whom."""
    return sink_of(settings).describe(settings)
