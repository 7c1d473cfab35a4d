"""Read OpenLineage events as messages: their flows in Atlas' form, so that all commands and tests read either format."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.errors import MessageError
from sac_kafka.model import Application, Outcome
from sac_kafka.openlineage.events import EventError, read_dataset, read_event
from sac_kafka.openlineage.flows import FlowOptions, Flows
from sac_kafka.openlineage.open_runs import OpenRuns
from sac_kafka.openlineage.own_facets import ALL
from sac_kafka.openlineage.runs import run_of
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome

_MAX_BYTES = 100_000_000
_KEY = re.compile(rb'"eventTime"\s*:')
_NAMES = Names()
_CONTENT = replace(Content(), message_max_bytes=_MAX_BYTES, message_max_entities=_MAX_BYTES)
_CONTEXT = context_of(Application(job="", application_id="", name="", user=""), _NAMES, _CONTENT)


def may_be_event(value: bytes) -> bool:
    """Return whether a text has the words of an event."""
    return _KEY.search(value) is not None and b'"message"' not in value[:100]


class EventMessages:
    """The messages of events, in their order. Runs of other producers have several events, so they are reported when due."""

    def __init__(self) -> None:
        options = FlowOptions(namespace=_NAMES.namespace)
        self._flows = Flows(options)
        self._runs = OpenRuns(options)

    def add(self, value: bytes) -> Iterator[str]:
        """Yield the messages that follow from an event.

        Raises:
            MessageError: It is no run event.
        """
        try:
            found = json.loads(value)
            dataset = read_dataset(found)
            if dataset is not None:
                yield from _texts(self._runs.define(*dataset))
                return
            event = read_event(found)
        except (EventError, ValueError, RecursionError) as error:
            raise MessageError(str(error)) from None
        if not ALL.isdisjoint(event.run):  # an event of this product: it is complete on its own
            yield from _texts(self._flows.outcomes(run_of(event)))
            return
        self._runs.add(event, time.monotonic())
        for outcomes in self._runs.due(time.monotonic()):
            yield from _texts(outcomes)

    def rest(self) -> Iterator[str]:
        """Yield the messages of all runs that are still open."""
        for outcomes in self._runs.all():
            yield from _texts(outcomes)


def _texts(outcomes: Iterable[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        output = AtlasOutput(_CONTEXT)
        yield from (message.value for message in output.messages(ScheduledOutcome(outcome), 0))


def as_messages(values: Iterable[bytes]) -> Iterator[bytes]:
    """Yield messages as they are, and events as messages; an unreadable event is yielded unchanged."""
    events = EventMessages()
    for value in values:
        if not may_be_event(value):
            yield value
            continue
        try:
            yield from [text.encode() for text in events.add(value)]
        except MessageError:
            yield value
    yield from map(str.encode, events.rest())
