"""Our readers of properties, logins and sections against Atlas' and Kafka's own classes, on generated texts."""

from __future__ import annotations

import os
import random
import re
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.jaas import JAAS_PREFIX, JaasEntry, jaas_text, parse, section_entry
from sac_kafka.settings.files.properties import load_properties
from tests.helpers.seeds import seed
from tests.unit.settings.files.originals import generating
from tests.unit.settings.files.originals.process import Answer, Originals

ROUNDS = int(os.environ.get("SAC_KAFKA_ORIGINALS_ROUNDS", "50"))
SEED = seed(1_000)

Say = Callable[[str], None]

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Originals]:
    process = Originals(tmp_path_factory.mktemp("originals"), generating.SYSTEM, generating.ENVIRONMENT)
    yield process
    process.close()


@pytest.fixture
def chance(add_to_summary: Say) -> random.Random:
    add_to_summary(f"seed {SEED}, {ROUNDS} rounds")
    return random.Random(SEED)


def of_entry(entry: JaasEntry) -> tuple[str, str, dict[str, str]]:
    return entry.module, entry.control_flag, {name: _as_java(value) for name, value in entry.options.items()}


def of_answer(answer: Answer) -> tuple[str, str, dict[str, str]]:
    return answer.texts[0], answer.texts[1], answer.pairs(2)


def test_properties_are_what_atlas_reads(
    originals: Originals, chance: random.Random, add_to_summary: Say, tmp_path: Path
) -> None:
    seen: Counter[str] = Counter()
    for round_ in range(ROUNDS):
        file = generating.write_properties(chance, tmp_path)
        theirs = originals.properties(file)
        try:
            ours = load_properties(file, generating.SYSTEM, generating.ENVIRONMENT).values
        except ConfigurationError as error:
            assert theirs.refused, f"round {round_}: only we refuse: {error}\n{shown(file)}\ntheirs {theirs.pairs()}"
            seen["refused"] += 1
            continue
        assert theirs.refused is None, f"round {round_}: they refuse ({theirs.refused}):\n{shown(file)}\nours {ours}"
        assert ours == theirs.pairs(), f"round {round_}:\n{shown(file)}"
        seen["read"] += 1
        seen["values"] += len(ours)
    add_to_summary(str(dict(seen)))
    assert seen["read"] > ROUNDS / 3
    assert seen["refused"] > ROUNDS / 50


def test_logins_are_what_kafka_reads(originals: Originals, chance: random.Random, add_to_summary: Say) -> None:
    seen: Counter[str] = Counter()
    for round_ in range(ROUNDS):
        text = generating.jaas_text(chance)
        theirs = originals.jaas(text)
        try:
            ours = parse(text)
        except ConfigurationError as error:
            assert theirs.refused, f"round {round_}: only we refuse: {error}\n{text!r}\ntheirs {theirs.texts}"
            seen["refused"] += 1
            continue
        assert theirs.refused is None, (
            f"round {round_}: they refuse ({theirs.refused}):\n{text!r}\nours {of_entry(ours)}"
        )
        assert of_entry(ours) == of_answer(theirs), f"round {round_}: {text!r}"
        seen["read"] += 1
        again = originals.jaas(jaas_text(ours))
        assert of_entry(ours) == of_answer(again), f"round {round_}: written as {jaas_text(ours)!r}"
    add_to_summary(str(dict(seen)))
    assert seen["read"] > ROUNDS / 8
    assert seen["refused"] > ROUNDS / 8


_IN_QUOTES = re.compile(r'\A"(.*)"\Z', re.DOTALL)
"""A value of a section in quotes: these classes of Atlas keep them; later ones write the value into a JAAS text."""


def test_sections_are_read_as_by_atlas(
    originals: Originals, chance: random.Random, add_to_summary: Say, tmp_path: Path
) -> None:
    file = tmp_path / "section.properties"
    seen: Counter[str] = Counter()
    file.write_text(
        f"{JAAS_PREFIX}KafkaClient.loginModuleName=a\n{JAAS_PREFIX}KafkaClient.option.principal=kafka/_HOST@R\n"
    )
    javas_host = originals.section(file).pairs(2)["principal"].removeprefix("kafka/").removesuffix("@R")
    for round_ in range(ROUNDS):
        file.write_text(generating.section_text(chance), encoding="iso-8859-1")
        theirs = originals.section(file)
        properties = load_properties(file, generating.SYSTEM, generating.ENVIRONMENT).values
        below = {key.removeprefix(JAAS_PREFIX): text for key, text in properties.items() if key.startswith(JAAS_PREFIX)}
        try:
            ours = section_entry(below)
        except ConfigurationError as error:
            # Atlas logs a missing module and continues without a login, which Kafka then rejects
            assert theirs.refused or not theirs.texts, f"round {round_}: only we refuse: {error}\n{shown(file)}"
            seen["refused"] += 1
            continue
        assert ours is not None
        assert theirs.texts, f"round {round_}: they refuse ({theirs.refused}):\n{shown(file)}"
        module, flag, options = of_answer(theirs)
        if (principal := options.get("principal")) is not None:
            options["principal"] = principal.replace(f"/{javas_host}@", f"/{socket.getfqdn().lower()}@")
        options = {name: _IN_QUOTES.sub(r"\1", text) for name, text in options.items()}
        assert of_entry(ours) == (module, flag, options), f"round {round_}:\n{shown(file)}"
        seen["read"] += 1
    add_to_summary(str(dict(seen)))
    assert seen["read"] > ROUNDS / 2


def shown(file: Path) -> str:
    return "\n".join(f"{each.name}: {each.read_bytes()!r}" for each in sorted(file.parent.glob("*.properties")))


def _as_java(text: str) -> str:
    """Return a text as UTF-16 has it."""
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
