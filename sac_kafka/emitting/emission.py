"""State flows and datasets: the functions behind `sac_kafka.emit` and `sac_kafka.register`."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from sac_kafka.deadlines import waitable
from sac_kafka.emitting.configuration import Conf
from sac_kafka.emitting.session import EmitSession, use_session
from sac_kafka.emitting.stated_flows import read_descriptions, read_flow
from sac_kafka.stats import Flushed

_ENGINE = "Python {}.{}.{}".format(*sys.version_info)
"""What runs a flow that a process states, unless it names another engine."""


def emit_flow(
    flow: Mapping[str, object], conf: Conf, wait: float | None, call: str = "emit", session: EmitSession | None = None
) -> Flushed:
    """Read a flow, and send it, through a session if it still is one of this process; else as `sac_kafka.emit`."""
    with use_session(conf, call, session) as used:
        return used.emit(read_flow({"engine": _ENGINE, **flow}, used.by), waitable(wait))


def register_datasets(datasets: object, conf: Conf, wait: float | None) -> Flushed:
    """Read descriptions of datasets, and send them; arguments and errors as of `sac_kafka.register`."""
    with use_session(conf, "register") as used:
        return used.emit(read_descriptions(datasets, used.by.patterns), waitable(wait))
