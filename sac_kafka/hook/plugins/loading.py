"""Find and load the plug-ins of this interpreter once.

A plug-in is loaded completely or not at all. If it is not, its distribution, entry point and fault are logged once. A slow
plug-in does not delay the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from sac_kafka.deadlines import MONOTONIC, Call, Clock, within
from sac_kafka.guard import Guard
from sac_kafka.hook.plugins.asking import GuardedPlugin
from sac_kafka.hook.plugins.checking import captured_options, conflict, declared_classes, sources_of
from sac_kafka.hook.plugins.errors import PluginError
from sac_kafka.lineage.datasets.sources import all_sources, plug_in
from sac_kafka.log import logger
from sac_kafka.plan.declaration import offered_names, register

GROUP = "sac_kafka.plugins"
SECONDS = 5.0
"""Timeout for finding the plug-ins, and again for loading all of them."""

_guard = Guard()
_lock = threading.Lock()
_options: tuple[str, ...] | None = None


def load(seconds: float = SECONDS) -> tuple[str, ...]:
    """Load the plug-ins at the first call; return the keys of the options that the listener captures for them.

    Args:
        seconds: Timeout for finding them, and again for loading them. Must not be called on a user's thread.
    """
    global _options
    with _lock:
        if _options is None:
            _options = ()  # set first, so that a failed attempt is not repeated
            with _guard(f"finding plug-ins ({GROUP})"):
                found = within(seconds, lambda: tuple(entry_points(group=GROUP)))
                _options = load_all(found, seconds, _guard)
        return _options


def errors() -> Mapping[str, int]:
    """Return the number of errors by plug-in and kind of error."""
    return _guard.counts


@dataclass(frozen=True, slots=True)
class _Pending:
    label: str
    loading: Call[object]


def load_all(found: Iterable[EntryPoint], seconds: float, guard: Guard, clock: Clock = MONOTONIC) -> tuple[str, ...]:
    """Load and register the sources of entry points; return the keys of the options that the listener captures for them."""
    ordered = sorted(found, key=lambda each: (_distribution(each), each.name, each.value))
    deadline = clock() + seconds
    loading = [_Pending(_label(each), Call(_loader(each), clock)) for each in ordered]
    options: dict[str, None] = {}
    for each in loading:
        with guard(each.label):
            offered = each.loading.result(max(0.0, deadline - clock()))
            options.update(dict.fromkeys(_register_plugin(each.label, offered, guard)))
    return tuple(options)


def _loader(entry: EntryPoint) -> Callable[[], object]:
    return entry.load


def _register_plugin(label: str, offered: object, guard: Guard) -> tuple[str, ...]:
    rows = sources_of(offered)
    known = conflict(rows, all_sources())
    if known is not None:
        raise PluginError(f"{known} belongs to a source that is already known: remove it")
    plugin = GuardedPlugin(label, guard)
    for cls in declared_classes(rows):
        register(cls, offered_names(cls) or ())
    plug_in(map(plugin.guarded, rows))
    options, secrets = captured_options(rows)
    for key in secrets:
        with guard(f"an option of {label}"):
            raise PluginError(f"{key} looks like a secret: it is not captured")
    logger.info("%s is loaded", label)
    return options


def _label(entry: EntryPoint) -> str:
    return f"the plug-in {entry.name} = {entry.value} ({_distribution(entry)})"


def _distribution(entry: EntryPoint) -> str:
    dist = getattr(entry, "dist", None)
    return f"{dist.name} {dist.version}" if dist is not None else "unknown distribution"
