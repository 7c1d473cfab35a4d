"""Provide `attach` and `Hook`, the public interface of a hook, and the registry of the hooks of a process."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import SacKafkaError
from sac_kafka.escaping import escape
from sac_kafka.guard import Guard
from sac_kafka.hook import exits
from sac_kafka.hook.attachment import Attachment
from sac_kafka.hook.doors import flows
from sac_kafka.log import logger
from sac_kafka.settings.arguments import properties_of
from sac_kafka.spark.listener import Listener
from sac_kafka.spark.session import spark_context
from sac_kafka.stats import Flushed, Stats
from sac_kafka.transport.base import Transport
from sac_kafka.transport.sinks.memory import MemoryTransport

if TYPE_CHECKING:
    from sac_kafka.catalog.verification import Verification
    from sac_kafka.tools.graph.flows import Flow


class Hook:
    """Lineage of one SparkContext, from `attach` until `detach` or the end of the application.

    If attaching failed the hook is disabled: its methods do nothing, and `stats()["disabled"]` has the reason. As a context
    manager it detaches at the end of the block; exceptions propagate.
    """

    def __init__(self, attachment: Attachment, *, is_automatic: bool = False) -> None:
        self._attachment = attachment
        self._is_automatic = is_automatic
        self._has_warned = False

    def __repr__(self) -> str:
        """Return the application, job, sink and state, or why the hook is disabled."""
        parts, joined = self._attachment.parts, self._attachment.joined
        if joined is not None:
            return repr(joined)
        if self._attachment.why_disabled is not None or parts is None:
            return escape(f"<Hook disabled: {self._attachment.why_disabled}>")
        application = parts.pipeline.application
        state = "active" if self.is_active else "ended"
        sink = " and ".join(destination.spool.name for destination in parts.destinations)
        return escape(f"<Hook of {application.application_id} (job {application.job}) to {sink}, {state}>")

    def __enter__(self) -> Hook:
        """Return the hook."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Flush and detach."""
        self.detach()

    @property
    def is_active(self) -> bool:
        """Whether the hook is attached; false in a forked child of its process."""
        return self._attachment.is_active and not self._attachment.is_forked

    @property
    def transport(self) -> Transport | None:
        """The transport of messages; None if the hook is disabled."""
        parts = self._attachment.parts
        return parts.destinations[0].spool.wrapped if parts is not None else None

    def flush(self, timeout_seconds: float | None = 10.0) -> Flushed:
        """Wait until the lineage of everything that has run so far is delivered.

        Does not wait for messages that cannot be delivered for a known reason, such as a broker that was never reachable: they
        are spooled, unless the spool is disabled, and the result has the reason.

        Args:
            timeout_seconds: The longest wait, in seconds; None for as long as it takes.

        Returns:
            The numbers of delivered, spooled and lost messages; true if everything is delivered, false without a hook.
        """
        return self._attachment.flush(timeout_seconds)

    def verify(self, timeout_seconds: float | None = 10.0, destination: str = "") -> Verification:
        """Look up over REST (`atlas.rest.address`) whether the sent entities are stored in the catalog.

        Call `flush` first. The datasets, processes and applications in this application's messages are looked up, at most
        10,000; columns are stored together with these.

        Args:
            timeout_seconds: How long to wait for entities that are not stored yet; None for a minute.
            destination: The name in `atlas.also` of the destination whose catalog is queried; "" for the first.

        Returns:
            The state of each entity: stored, shell, rejected or pending. True if all are stored; false without a hook.
        """
        return self._attachment.verify(timeout_seconds, destination)

    def detach(self) -> None:
        """Stop listening, and deliver what was observed within the exit timeout. Idempotent."""
        self._attachment.detach()

    def stats(self) -> Stats:
        """Return the statistics so far: a plain dict with the keys of `Stats`."""
        return self._attachment.stats()

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages so far as parsed JSON if `atlas.client.type = memory` (for tests); else an empty list.

        Each is the envelope of a notification: `message["message"]["type"]` is `ENTITY_CREATE_V2` or another type,
        `message["message"]["entities"]["entities"]` has the entities. Call `flush` before.
        """
        return [json.loads(value) for value in self._values()]

    def lineage(self) -> tuple[Flow, ...]:
        """Return the messages of `messages` as flows: inputs, outputs and column lineage; else an empty tuple."""
        return flows(self._values())

    def _values(self) -> list[bytes]:
        joined = self._attachment.joined
        if joined is not None and (served := joined.messages()) is not None:
            return [value.encode() for value in served]
        if isinstance(self.transport, MemoryTransport):
            return [value for record in self.transport.records for value in record.values]
        if not self._has_warned:
            self._has_warned = True
            disabled = self._attachment.why_disabled
            why = f"not attached: {disabled}" if disabled else "use attach(spark, client_type='memory')"
            logger.warning("messages() and lineage() are empty: %s", why)
        return []


_HURRY_SECONDS = 0.5  # Together with spooling less than the 2.5 s between Jupyter's SIGTERM and SIGKILL.


class Hooks:
    """The hooks of a process, one per SparkContext."""

    def __init__(self) -> None:
        self._all: list[Hook] = []
        self._lock = threading.Lock()

    def all(self) -> tuple[Hook, ...]:
        """Return the hooks that are active, or were when the last one was attached."""
        return tuple(self._all)

    def attach(
        self,
        spark: Any,  # noqa: ANN401 a SparkSession or SparkContext
        arguments: Mapping[str, object],
        *,
        is_automatic: bool = False,
    ) -> Hook:
        """Attach to the SparkContext of `spark`, or return its hook if it has one.

        A hook that was attached automatically is replaced if the job passes other settings.
        """
        attachment = Attachment(None)
        with Guard()("attach"):
            try:
                context, settings = spark_context(spark), properties_of(arguments)
            except SacKafkaError as e:
                attachment.refuse(e)
                return Hook(attachment)
            with self._lock:
                active = next((each for each in self._active() if each._attachment.context is context), None)
                if active is not None:
                    others = _others(settings, active._attachment.arguments)
                    if not others or not active._is_automatic or active._attachment.is_forked:
                        _warn_no_effect(others)
                        active._attachment.own(spark)
                        return active
                    active.detach()
                attachment = Attachment(context, settings, spark=spark)
                hook = Hook(attachment, is_automatic=is_automatic)
                # Registered before it starts: if attaching is interrupted and repeated, this hook is found if it became active.
                self._all[:] = [*self._active(), hook]
                exits.watch(self.drain, self.hurry)
                attachment.start()
                return hook
        return Hook(attachment)

    def drain(self) -> None:
        """Deliver or spool everything of all hooks within one exit timeout: request the end of all, then wait for each."""
        attachments = [hook._attachment for hook in self.all()]
        for attachment in attachments:
            attachment.ask_to_end()
        for attachment in attachments:
            attachment.drain()

    @property
    def exit_seconds(self) -> float:
        """Longest time of `drain` in seconds, unless a thread hangs."""
        return max((each._attachment.parts.exit_seconds for each in self._all if each._attachment.parts), default=0.0)

    @property
    def listener(self) -> Listener | None:
        """The listener of the last hook; None if that is disabled, or served by another process."""
        parts = self._all[-1]._attachment.parts if self._all else None
        return None if parts is None else parts.listener

    def hurry(self) -> None:
        """Shorten the deadlines of all hooks, because the process is about to be killed."""
        for hook in self.all():
            hook._attachment.ask_to_end(_HURRY_SECONDS)

    def after_fork(self) -> None:
        """Replace the lock in a forked child: the thread that held it does not exist there."""
        self._lock = threading.Lock()

    def _active(self) -> list[Hook]:
        return [each for each in self._all if each._attachment.is_active]


HERE = Hooks()
"""The hooks of this process."""


def _after_fork_in_child() -> None:
    HERE.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def attach(spark: Any, arguments: Mapping[str, object]) -> Hook:  # noqa: ANN401 a SparkSession or SparkContext
    """Attach the hook to the SparkContext of `spark`; see `sac_kafka.attach`."""
    return HERE.attach(spark, arguments)


def hooks() -> tuple[Hook, ...]:
    """Return the hooks of this process that are active, or were when the last one was attached."""
    return HERE.all()


def attach_automatically(context: Any) -> Hook:  # noqa: ANN401 a SparkContext
    """Attach to a context whose job does not call `attach`."""
    return HERE.attach(context, {}, is_automatic=True)


def _others(settings: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
    return sorted(key for key, value in settings.items() if before.get(key) != value)


def _warn_no_effect(others: list[str]) -> None:
    if others:
        verb = "has" if len(others) == 1 else "have"
        logger.warning("already attached: %s %s no effect; call detach first", ", ".join(others), verb)
