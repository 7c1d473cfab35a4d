"""`sac-kafka validate` and Atlas' own classes agree on messages that are spoiled in one place each.

What the deserializer of a server refuses is wrong; what a server takes, and does with it what is meant, is not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import pytest

from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.tools.messages.reader import RawRecord, UnreadableRecord, join_parts
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.type_model import TypeModel
from tests.helpers.judge.judging import Verdict, judge
from tests.helpers.judge.mutating import MESSAGES, TEXTS, mutations
from tests.helpers.seeds import seed

SAMPLED = 400
NO_NAME, TWICE = "no unique attribute identifies the entity", "has the same guid"
KNOWN_ONLY_BY_THE_STORE = (NO_NAME, TWICE)
"""What the classes of a server take, and its store does not: a list for a name; one guid of two entities that are nested."""

Case = tuple[str, str, str]
"""Name of the message, what was done to it, and its text."""


def cases() -> Iterator[Case]:
    for name, message in MESSAGES.items():
        yield name, "unchanged", message
        yield from ((name, how, text) for how, text in mutations(message))
    yield from (("flow", how, text) for how, text in TEXTS.items())


def wrong(text: str, model: TypeModel) -> list[str]:
    """Return the violations that validate reports, without its doubts."""
    found: list[str] = []
    for each in join_parts([RawRecord("x", text.encode("utf-8", "surrogatepass"))]):
        if isinstance(each, UnreadableRecord):
            found.append(each.problem)
        else:
            found += [str(it) for it in MessageValidator(model).violations(each.text) if not it.is_doubt]
    return found


def disagreement(reported: list[str], verdict: Verdict) -> str:
    """Return how the two differ, "" where they agree."""
    if verdict.result == "BAD" and not reported:
        return f"a server does not take it: {verdict.violations}"
    if verdict.result == "OK" and not verdict.problems and any(not _is_of_the_store(each) for each in reported):
        return f"a server takes it, but validate says: {reported[:2]}"
    return ""


def _is_of_the_store(reported: str) -> bool:
    return any(each in reported for each in KNOWN_ONLY_BY_THE_STORE)


def assert_agreement(chosen: Iterable[Case]) -> None:
    model = TypeModel(types_def())
    differing = []
    for name, how, text in chosen:
        (verdict,) = judge().verdicts([text])
        if difference := disagreement(wrong(text, model), verdict):
            differing.append(f"{name}, {how}: {difference}")
    assert not differing, f"{len(differing)} differ:\n" + "\n".join(differing[:20])


@pytest.mark.slow
def test_a_sample_of_spoiled_messages_is_judged_alike() -> None:
    every = list(cases())
    texts = every[-len(TEXTS) :]
    whole_ones = [each for each in every if each[1] == "unchanged"]
    assert_agreement([*whole_ones, *texts, *random.Random(seed(1)).sample(every, SAMPLED)])


@pytest.mark.nightly
@pytest.mark.parametrize("name", MESSAGES)
def test_every_spoiled_message_is_judged_alike(name: str) -> None:
    assert_agreement(each for each in cases() if each[0] == name)
