"""Whether what was said of a case is right."""

from __future__ import annotations

from tests.purview.flows.assets import Asset
from tests.purview.flows.expecting import FlowCase, lines, resolved
from tests.purview.flows.reading import Shown, shown
from tests.purview.flows.running import Ran


def assert_right(case: FlowCase, ran: Ran) -> None:
    """The flows are those that are expected, under the process that the context has; each message is one that Purview takes."""
    from tests.purview.judge import problems

    assert ran.error is None, ran.error
    assert ran.errors_of_the_hook == {}
    found = shown(ran.messages)
    assert lines(found.flows) == lines(resolved(case.flows, found.flows))
    assert [each for message in ran.messages for each in problems(message)] == []
    _assert_named(case, found)
    assert set(found.types) == {"ENTITY_CREATE_V2"}


def _assert_named(case: FlowCase, found: Shown) -> None:
    context = case.context
    stem = context.stem.rstrip("*")
    views = {
        process for process, flow in found.processes.items() if {each.type for each in flow.outputs} == {"hive_view"}
    }
    for process in found.processes.keys() - views:
        assert process.type == context.process_type
        assert process.name.startswith(stem)
    for owner in context.owners:
        assert [each for each in found.entities if _is(owner, each)], f"{owner} is not told: {sorted(found.entities)}"


def _is(expected: Asset, told: Asset) -> bool:
    begin, _, end = expected.type.partition("*")
    return expected.name == told.name and told.type.startswith(begin) and told.type.endswith(end)
