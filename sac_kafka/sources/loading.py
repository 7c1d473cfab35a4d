"""Finds the plug-ins of this interpreter, once, and takes from them what can be taken.

Each is taken whole or not at all, and is named once where it is not: its distribution, its entry point, what is wrong. Those
that are slow to load do not hold up the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from sac_kafka.deadlines import MONOTONIC, Call, Clock, within
from sac_kafka.guard import Guard
from sac_kafka.lineage.datasets.sources import all_sources, plug_in
from sac_kafka.log import logger
from sac_kafka.plan.declaration import offered_names, register
from sac_kafka.sources.asking import AskedPlugin
from sac_kafka.sources.checking import clash, declared_classes, sources_of, travelling
from sac_kafka.sources.errors import PluginError

GROUP = "sac_kafka.sources"
SECONDS = 5.0
"""What finding them, and then loading all of them, may take."""

_guard = Guard()
_lock = threading.Lock()
_options: tuple[str, ...] | None = None


def load(seconds: float = SECONDS) -> tuple[str, ...]:
    """Take the plug-ins of this interpreter, the first time; gives the keys of options that travel for them.

    Args:
        seconds: What it may take, twice at most. Never called by a user's thread.
    """
    global _options
    with _lock:
        if _options is None:
            _options = ()  # whatever happens: once
            with _guard(f"finding plug-ins ({GROUP})"):
                found = within(seconds, lambda: tuple(entry_points(group=GROUP)))
                _options = take(found, seconds, _guard)
        return _options


def errors() -> Mapping[str, int]:
    """What went wrong in plug-ins: which one and the kind of error, to how often."""
    return _guard.counts


@dataclass(frozen=True, slots=True)
class _Found:
    called: str
    loading: Call[object]


def take(found: Iterable[EntryPoint], seconds: float, guard: Guard, clock: Clock = MONOTONIC) -> tuple[str, ...]:
    """Take what these entry points offer; gives the keys of options that travel for them."""
    ordered = sorted(found, key=lambda each: (_distribution(each), each.name, each.value))
    deadline = clock() + seconds
    loading = [_Found(_called(each), Call(_load(each), clock)) for each in ordered]
    options: dict[str, None] = {}
    for each in loading:
        with guard(each.called):
            offered = each.loading.result(max(0.0, deadline - clock()))
            options.update(dict.fromkeys(_taken(each.called, offered, guard)))
    return tuple(options)


def _load(entry: EntryPoint) -> Callable[[], object]:
    return entry.load


def _taken(called: str, offered: object, guard: Guard) -> tuple[str, ...]:
    rows = sources_of(offered)
    taken = clash(rows, all_sources())
    if taken is not None:
        raise PluginError(f"{taken} belongs to a system that is known already: leave it out")
    asked = AskedPlugin(called, guard)
    for cls in declared_classes(rows):
        register(cls, offered_names(cls) or ())
    plug_in(map(asked.guarded, rows))
    options, secrets = travelling(rows)
    for key in secrets:
        with guard(f"an option of {called}"):
            raise PluginError(f"{key} looks like a secret: it does not travel")
    logger.info("%s is taken", called)
    return options


def _called(entry: EntryPoint) -> str:
    return f"the plug-in {entry.name} = {entry.value} ({_distribution(entry)})"


def _distribution(entry: EntryPoint) -> str:
    of = getattr(entry, "dist", None)
    return f"{of.name} {of.version}" if of is not None else "of no distribution"
