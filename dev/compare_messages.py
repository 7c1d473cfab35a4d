"""Compare the messages of this checkout with those of another one: `python -m dev.compare_messages PATH`.

Every recorded batch of tests/fixtures runs through the pipeline of both, with each of a few settings; golden messages are
compared as they are stored. A difference is counted by its kind: an attribute, an entity, a message. Texts meant for people
are distinguished from the rest, because only they may change with the words of the project.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
_FIXTURES = _ROOT / "tests" / "fixtures"
_BATCHES = (
    "batches/*/*.txt",
    "hive/*/*.txt",
    "kafka/*/*.txt",
    "streams/*/*.txt",
    "sources/**/*.txt",
    "pipelines/*.txt",
)
_GOLDEN = "tests/**/golden/*.json"
_NAMESPACE = {"atlas.metadata.namespace": "test"}
_APPLICATION = {
    "job": "job",
    "application_id": "app-1",
    "name": "app",
    "user": "etl",
    "started_ms": 1,
}
_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "atlas": {"atlas.hook.spark.reads": "true", "atlas.spark.plan.enabled": "true"},
    "hive v1": {"atlas.hook.spark.table.model": "hive", "atlas.hook.spark.message.form": "v1"},
    "purview": {"atlas.hook.spark.dialect": "purview"},
    "sac": {"atlas.hook.spark.compat": "sac"},
}
_TEXTS = frozenset({"description", "userDescription", "comment", "details", "displayName", "lineageNote"})
"""Attributes whose values are sentences for people."""
_EXAMPLE = 240

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Difference = tuple[str, str]
"""The kind of a difference (`text for people`, `attribute`, `entity added` …) and where it is: a type, an attribute."""


def main(arguments: list[str] | None = None) -> int:
    """Print the differences by kind, each with an example; return 1 if there are any but in texts meant for people."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--render", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.render:
        return _render(options.other)
    other, this = _rendered(options.other.resolve()), _rendered(_ROOT)
    found: Counter[Difference] = Counter()
    examples: dict[Difference, str] = {}
    batches = count = 0
    for (name, before), (_, after) in zip(other, this, strict=True):
        batches, count = batches + 1, count + len(after)
        for difference, example in compared(before, after):
            found[difference] += 1
            examples.setdefault(difference, f"{name}: {example}")
    sys.stdout.write(f"{batches} renderings, {count} messages, {sum(found.values())} differences\n")
    for (kind, where), number in sorted(found.items()):
        sys.stdout.write(f"{number:6} {kind}: {where}\n       {examples[kind, where][:_EXAMPLE]}\n")
    return int(any(kind != "text for people" for kind, _ in found))


def _rendered(checkout: Path) -> Iterator[tuple[str, list[Json]]]:
    """Yield the messages of each batch with each of the settings, made by a process whose code is that of a checkout."""
    command = [sys.executable, "-P", str(Path(__file__).resolve()), "--render", str(checkout)]
    with subprocess.Popen(command, cwd=checkout, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            name, messages = json.loads(line)
            yield name, messages
    if process.returncode:
        raise SystemExit(f"{checkout} cannot be rendered")


def _render(checkout: Path) -> int:
    """Print a line for each batch and settings: the name, and the messages or the error."""
    sys.path.insert(0, str(checkout))
    place = "sac_kafka.hook.recording" if find_spec("sac_kafka.hook.recording") else "sac_kafka.recording"
    recording = import_module(place)
    settings_type = import_module("sac_kafka.settings").Settings
    model = "sac_kafka.model" if find_spec("sac_kafka.model") else "sac_kafka.lineage.model"
    model_room = import_module(model)
    version = {"spark_version": "4.3.0"}
    if hasattr(model_room, "Engine"):
        version = {"engine": model_room.Engine(version="4.3.0")}
    application = model_room.Application(**_APPLICATION, **version)
    settings = {name: settings_type.read({**_NAMESPACE, **keys}, "comparison") for name, keys in _SETTINGS.items()}
    for pattern in _BATCHES:
        for file in sorted(_FIXTURES.glob(pattern)):
            is_whole = file.read_text("utf-8").startswith('["application"')
            each = (
                recording.read_recording(file)
                if is_whole
                else recording.Recording(application, file.read_text("utf-8"))
            )
            for name, setting in settings.items():
                place = f"{file.relative_to(_FIXTURES)} ({name})"
                sys.stdout.write(json.dumps([place, _messages(recording.replay(each, setting))]) + "\n")
    for file in sorted(checkout.glob(_GOLDEN)):
        sys.stdout.write(json.dumps([file.name, json.loads(file.read_text("utf-8"))]) + "\n")
    return 0


def _messages(replayed: Iterable[Any]) -> list[Json]:
    messages: list[Json] = []
    try:
        messages.extend(json.loads(each.value) for each in replayed)
    except Exception as e:  # noqa: BLE001 compared like a message
        messages.append(f"{type(e).__name__}: {e}")
    return messages


def compared(before: Json, after: Json, where: str = "message", key: str = "") -> Iterator[tuple[Difference, str]]:
    """Yield the differences of two JSON values, each with an example.

    Args:
        before: The value of the other checkout.
        after: The value of this one.
        where: The type of the entity that the values are of, and the attribute.
        key: The last key on the way to the values.

    >>> list(compared({"typeName": "t", "attributes": {"a": 1}}, {"typeName": "t", "attributes": {"a": 2}}))
    [(('attribute', 't.a'), '1 -> 2')]
    """
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        where = str(after.get("typeName", where))
        for each in (*before, *(k for k in after if k not in before)):
            inner = where if each in ("attributes", "entity", "entities", "message") else f"{where}.{each}"
            if each in before and each in after:
                yield from compared(before[each], after[each], inner, each)
            else:
                kind = "attribute removed" if each in before else "attribute added"
                yield (kind, inner), _short(before.get(each, after.get(each)))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _compared_lists(before, after, where, key)
    else:
        kind = "text for people" if key in _TEXTS else "attribute"
        yield (kind, where), f"{_short(before)} -> {_short(after)}"


def _compared_lists(before: list[Json], after: list[Json], where: str, key: str) -> Iterator[tuple[Difference, str]]:
    """Pair entities by type and name, everything else by position."""
    names_before, names_after = [*map(_identity, before)], [*map(_identity, after)]
    if None in (*names_before, *names_after):
        if len(before) != len(after):
            yield ("messages" if where == "message" else "length", where), f"{len(before)} -> {len(after)}"
        for one, other in zip(before, after, strict=False):
            yield from compared(one, other, where, key)
        return
    old, new = dict(zip(names_before, before, strict=True)), dict(zip(names_after, after, strict=True))
    for gone in (name for name in old if name not in new):
        yield ("entity removed", str(gone).partition(" ")[0]), str(gone)
    for name, each in new.items():
        if name in old:
            yield from compared(old[name], each, where, key)
        else:
            yield ("entity added", str(name).partition(" ")[0]), str(name)
    if [n for n in names_before if n in new] != [n for n in names_after if n in old]:
        yield ("order", where), f"{names_before[:3]} -> {names_after[:3]}"


def _identity(value: Json) -> str | None:
    """Return the type and name of an entity or a reference to one; None for any other value."""
    if not isinstance(value, dict):
        return None
    names = value.get("attributes") or value.get("uniqueAttributes") or value.get("values") or {}
    name = names.get("qualifiedName") if isinstance(names, dict) else None
    return f"{value.get('typeName')} {name}" if name is not None else None


def _short(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)[: _EXAMPLE // 2]


if __name__ == "__main__":
    sys.exit(main())
