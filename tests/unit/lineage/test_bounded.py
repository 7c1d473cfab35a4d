"""Bounded memories: the oldest entry goes first, and an entry that is set again becomes the youngest."""

from __future__ import annotations

from sac_kafka.model.bounds import Bounded


def test_the_oldest_is_forgotten_first() -> None:
    forgotten: list[tuple[str, int]] = []
    last = Bounded[str, int](2, lambda key, value: forgotten.append((key, value)))
    for i, key in enumerate("abac"):
        last[key] = i
    assert list(last.items()) == [("a", 2), ("c", 3)]
    assert forgotten == [("b", 1)]


def test_removed_entry_is_not_reported_as_forgotten() -> None:
    forgotten: list[str] = []
    last = Bounded[str, int](1, lambda key, _: forgotten.append(key))
    last["a"] = 1
    assert last.pop("a") == 1
    last["b"] = 2
    del last["b"]
    assert (dict(last), forgotten) == ({}, [])
