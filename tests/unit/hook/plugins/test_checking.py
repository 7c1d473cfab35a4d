"""Checks of plug-ins: which declarations are accepted, and which are rejected with a fix before they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from sac_kafka.hook.plugins.checking import PluginError, captured_options, declared_classes, sources_of
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.specification import specification
from sac_kafka.plugins import RdbmsDataset, Source, accessor, spark_class


@pytest.fixture(autouse=True)
def nothing_is_declared() -> Iterator[None]:
    before = dict(DECLARED)
    yield
    assert before == DECLARED, "checking declares nothing"


@spark_class("com.acme.spark.Part")
class Part:
    name: str


@spark_class("com.acme.spark.AcmeTable")
class AcmeTable:
    host: str
    parts: tuple[Part, ...] = accessor("getParts|parts.all")
    options: Mapping[str, str] | None = accessor("#options", keys=("acme.table",))


def _read(found: object, columns: object) -> None:
    return None


def test_one_or_several_rows_are_accepted_with_the_parts_of_their_classes() -> None:
    row = Source(names=frozenset({"Acme"}), reads={AcmeTable: _read})
    assert [each.names for each in sources_of(row)] == [frozenset({"acme"})]
    assert len(sources_of([row, row])) == 2
    assert declared_classes((row,)) == (AcmeTable, Part)


@pytest.mark.parametrize(
    "offered", [None, "acme", {"a": 1}, [], [Source(names=frozenset({"a"})), "b"], lambda: Source(), Source()]
)
def test_invalid_row_is_rejected(offered: object) -> None:
    with pytest.raises(PluginError):
        sources_of(offered)


WRONG: dict[str, dict[str, Any]] = {
    "a name instead of names": {"names": "acme"},
    "a blank in a name": {"names": frozenset({"ac me"})},
    "a beginning instead of several": {"classes": "com.acme."},
    "every class": {"classes": ("",)},
    "every class of com": {"classes": ("com.",)},
    "a tab in an option": {"options": ("acme\ttable",)},
    "a line in an option": {"options": ("acme\ntable",)},
    "two options in one": {"options": ("acme.host,acme.table",)},
    "all options": {"options": ("*",)},
    "too many options": {"options": tuple(f"acme.{i}" for i in range(101))},
    "no function": {"dataset": RdbmsDataset(rdbms_type="acme", database="d", table="t")},
    "no function to read": {"reads": {AcmeTable: None}},
    "a class that is not declared": {"reads": {RdbmsDataset: _read}},
    "no class": {"reads": {"com.acme.spark.AcmeTable": _read}},
    "a text for columns": {"columns": "id"},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_conflicting_row_is_rejected(fields: dict[str, Any]) -> None:
    with pytest.raises(PluginError):
        sources_of(Source(**{"names": frozenset({"acme"}), **fields}))


def _declared(name: str, field: Any = None, hint: Any = str) -> type:
    members = {"__annotations__": {"value": hint}, "__module__": __name__}
    return spark_class(name)(type("Made", (), members if field is None else {**members, "value": field}))


CLASSES: dict[str, tuple[Any, ...]] = {
    "of Spark": ("org.apache.spark.sql.sources.BaseRelation",),
    "of Java": ("java.lang.Object",),
    "of Scala": ("scala.Tuple3",),
    "no full name": ("AcmeTable",),
    "a line in a name": ("com.acme.Table\nevent\tx",),
    "a tab in an accessor": ("com.acme.Table", accessor("a\tb")),
    "an accessor of the listener's own": ("com.acme.Table", accessor("@query")),
    "an accessor with arguments": ("com.acme.Table", accessor("table()")),
    "a secret accessor": ("com.acme.Table", accessor("options.password")),
    "a secret field": ("com.acme.Table", accessor("options.#apiToken")),
    "a secret key": ("com.acme.Table", accessor("options", keys=("acme.password",)), Mapping[str, str]),
    "all keys": ("com.acme.Table", accessor("options", keys=("*",)), Mapping[str, str]),
}


@pytest.mark.parametrize("declared", CLASSES.values(), ids=CLASSES)
def test_conflicting_class_is_rejected(declared: tuple[Any, ...]) -> None:
    with pytest.raises(PluginError):
        sources_of(Source(reads={_declared(*declared): _read}))


def test_a_secret_is_refused_by_its_name() -> None:
    with pytest.raises(PluginError, match=r"acme\.password looks like a secret"):
        sources_of(Source(reads={_declared(*CLASSES["a secret key"]): _read}))


def test_options_that_look_like_secrets_do_not_travel() -> None:
    row = Source(options=("Acme.Table", "acme.password", "acme.apiKey", "dbtable"))
    assert captured_options((row,)) == (("acme.table",), ("acme.password", "acme.apikey"))


def test_options_are_captured_like_those_of_other_systems() -> None:
    def with_keys(text: str) -> list[list[str]]:
        return [line.split("\t")[4].split(",") for line in text.splitlines() if line.startswith("field")]

    before, after = with_keys(specification()), with_keys(specification(("acme.table",)))
    more = [a for b, a in zip(before, after, strict=True) if a != b]
    assert len(more) >= 3
    assert all(keys[-1] == "acme.table" and "dbtable" in keys for keys in more)
