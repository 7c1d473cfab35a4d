"""Rules for every sink: a new one is found by its file, and by `atlas.client.type`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from pathlib import Path
from pkgutil import iter_modules

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import KAFKA_PREFIX, Settings, describe
from sac_kafka.tools.cli.configured import summary
from sac_kafka.transport import sinks
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.sinks.sink import Sink
from sac_kafka.transport.spool.options import destination_of

FILES = sorted(each.name for each in iter_modules(sinks.__path__) if each.name != "sink")
LASTING = [name for name in FILES if import_module(f"{sinks.__name__}.{name}").SINK.address is not None]
PASSING = ["console", "memory"]
"""Sinks that last no longer than the process, for which nothing is ever kept."""
TARGETS = ("https://one.example:1", "https://one.example:2", "https://two.example:1")
"""Addresses, and names of files."""


def settings_of(name: str, **more: str) -> Settings:
    return Settings.read({"atlas.client.file.path": "/tmp/x", **more, "atlas.client.type": name}, "test")


def keys_of_address(name: str) -> Iterator[str]:
    """Return the keys that name the target of a sink."""
    keys = [each.keys[0] for each in describe() if each.keys[0] != "atlas.notification.hook.topic.name"]
    plain = destination_of(settings_of(name))
    for key in (*keys, f"{KAFKA_PREFIX}bootstrap.servers"):
        try:
            settings = settings_of(name, **{key: TARGETS[0]})
        except ConfigurationError:
            continue
        if destination_of(settings) != plain:
            yield key


CLIENT_TYPE = next(setting for setting in describe() if setting.keys == ("atlas.client.type",))


def test_every_client_type_has_its_file_and_every_file_its_client_type() -> None:
    types = set(CLIENT_TYPE.kind.name.replace("`", "").split(" or "))
    assert types - set(FILES) == set(), "add the file in transport/sinks"
    assert set(FILES) - types == set(), "add it to ClientType in settings/sinks.py"
    assert all(isinstance(sink_of(settings_of(name)), Sink) for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_client_type_is_described(name: str) -> None:
    assert re.search(rf"\b{name}\b[:;]", CLIENT_TYPE.doc), (
        "describe it in the doc of atlas.client.type, settings/sinks.py"
    )


def test_every_sink_that_outlives_the_process_has_an_address() -> None:
    assert [name for name in FILES if name not in LASTING] == PASSING, "give it an address"


@pytest.mark.parametrize("name", FILES)
def test_every_sink_has_its_own_tests(name: str) -> None:
    """Look for a file or folder named like it, or one that imports it."""
    here = Path(__file__).parent
    tests = [path.relative_to(here) for path in here.rglob("test_*.py") if path.name != Path(__file__).name]
    called = [path for path in tests if name in {*path.parts, path.stem.removeprefix("test_")}]
    importing = [path for path in tests if f"{sinks.__name__}.{name} import" in (here / path).read_text("utf-8")]
    assert called + importing, f"add tests/unit/transport/test_{name}.py"


@pytest.mark.parametrize("name", LASTING)
def test_messages_kept_for_one_target_go_to_no_other(name: str) -> None:
    keys = list(keys_of_address(name))
    assert keys, "no key distinguishes the targets of this sink"
    for key in keys:
        found = {destination_of(settings_of(name, **{key: target})) for target in TARGETS}
        assert len(found) == len(TARGETS), key


def test_two_sinks_never_have_the_same_destination() -> None:
    everywhere = dict.fromkeys((key for name in LASTING for key in keys_of_address(name)), TARGETS[0])
    for one, other in combinations(FILES, 2):
        assert destination_of(settings_of(one, **everywhere)) != destination_of(settings_of(other, **everywhere))


@pytest.mark.parametrize("name", FILES)
def test_each_topic_is_a_separate_destination(name: str) -> None:
    other = {"atlas.notification.hook.topic.name": "OTHER"}
    assert destination_of(settings_of(name)) != destination_of(settings_of(name, **other))


@pytest.mark.parametrize("name", FILES)
def test_the_destination_begins_with_the_name_of_the_sink(name: str, tmp_path: Path) -> None:
    assert summary(settings_of(name, **{"atlas.hook.spool.dir": str(tmp_path)})).partition(",")[0].startswith(name)
