"""Find and load the plug-ins of this interpreter once.

A plug-in is loaded completely or not at all. If it is not, its distribution, entry point and fault are logged once. Sources
that the hook knows have priority over those of plug-ins.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from sac_kafka.deadlines import within
from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.plan.declaration import DECLARED, offered_names, register

GROUP = "sac_kafka.plugins"
MAX_SECONDS = 10.0
"""Maximum duration of the import of a plug-in's module."""

_guard = Guard()
_lock = threading.Lock()
_options: tuple[str, ...] | None = None


def load() -> tuple[str, ...]:
    """Load the plug-ins at the first call; return the keys of the options that the listener captures for them.

    Must not be called on a user's thread: a plug-in may be slow.
    """
    global _options
    with _lock:
        if _options is None:
            _options = ()  # set first, so that a failed attempt is not repeated
            with _guard(f"finding plug-ins ({GROUP})"):
                _options = load_all(entry_points(group=GROUP), _guard)
        return _options


def errors() -> Mapping[str, int]:
    """Return the number of errors by plug-in and kind of error."""
    return _guard.counts


def load_all(found: Iterable[EntryPoint], guard: Guard) -> tuple[str, ...]:
    """Load and register the sources of entry points; return the keys of the options that the listener captures for them."""
    options: dict[str, None] = {}
    for each in sorted(found, key=lambda each: (_distribution(each), each.name, each.value)):
        label = f"the plug-in {each.name} = {each.value} ({_distribution(each)})"
        with guard(label):
            options.update(dict.fromkeys(_register_plugin(label, within(MAX_SECONDS, partial(_load, each)), guard)))
    return tuple(options)


def _load(entry: EntryPoint) -> object:
    try:
        return entry.load()
    except SystemExit as error:  # it would end its thread without a message
        from sac_kafka.hook.plugins.checking import PluginError

        raise PluginError(f"its module exits with status {error.code}") from error


def _register_plugin(label: str, offered: object, guard: Guard) -> tuple[str, ...]:
    from sac_kafka.hook.plugins.asking import GuardedPlugin
    from sac_kafka.hook.plugins.checking import PluginError, captured_options, declared_classes, sources_of
    from sac_kafka.lineage.datasets.sources import plug_in

    rows = sources_of(offered)
    plugin = GuardedPlugin(label, guard)
    for cls in declared_classes(rows):
        register(cls, (name for name in offered_names(cls) or () if name not in DECLARED))
    plug_in(map(plugin.guard_source, rows))
    options, secrets = captured_options(rows)
    for key in secrets:
        with guard(f"an option of {label}"):
            raise PluginError(f"{key} looks like a secret: it is not captured")
    logger.info("%s is loaded", label)
    return options


def _distribution(entry: EntryPoint) -> str:
    dist = getattr(entry, "dist", None)
    return f"{dist.name} {dist.version}" if dist is not None else "unknown distribution"
