"""Check the messages of a case."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import unified_diff

from tests.live.purview.assets import Asset
from tests.live.purview.contexts import OPERATION
from tests.live.purview.expecting import FlowCase, lines, resolved
from tests.live.purview.reading import Shown, shown
from tests.live.purview.running import Ran
from tests.unit.purview.judge import problems


def assert_right(case: FlowCase, ran: Ran, others: Iterable[Ran] = ()) -> None:
    """Check that the flows are the expected ones, under the process of the context, in messages that Purview accepts.

    What a process belongs to is sent once by each driver: it may be in a message of one of the `others` of its cases.
    """
    assert ran.error is None, ran.error
    assert ran.errors_of_the_hook == {}
    found = shown(ran.messages)
    differences = list(
        unified_diff(lines(resolved(case.flows, found.flows)), lines(found.flows), "expected", "reported", n=9)
    )
    assert not differences, "\n".join(differences)
    of_others = [message for other in others for message in other.messages]
    sent = [json.dumps(message) for message in (*of_others, *ran.messages)]
    wrong = [each for message in ran.messages for each in problems(json.dumps(message), sent)]
    assert not wrong, "\n".join(wrong)
    _assert_named(case, found, {*found.entities, *shown(of_others).entities})
    assert set(found.types) == {"ENTITY_CREATE_V2"}


def _assert_named(case: FlowCase, found: Shown, entities: Iterable[Asset]) -> None:
    context = case.context
    stem = context.stem.rstrip("*")
    of_views = {
        process for process, flow in found.processes.items() if {each.type for each in flow.outputs} == {"hive_view"}
    }
    assert {process.type for process in of_views} <= {OPERATION}
    for process in found.processes.keys() - of_views:
        assert process.type == context.process_type
        assert process.name.startswith(stem)
    for owner in context.owners:
        assert [each for each in entities if _is(owner, each)], f"{owner} is not reported: {sorted(entities)}"


def _is(expected: Asset, reported: Asset) -> bool:
    begin, _, end = expected.type.partition("*")
    return expected.name == reported.name and reported.type.startswith(begin) and reported.type.endswith(end)
