"""The cache of results is bounded by their sizes, and tells objects apart where its keys ask for it."""

from __future__ import annotations

from sac_kafka.model.cache import Cache, Same


class _Maker:
    """Computes results of a given size, and keeps the keys of its calls."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.calls: list[object] = []

    def get(self, key: object, size: int = 1) -> object:
        return self.cache.get(key, lambda: self.calls.append(key) or key, lambda _: size)


def test_what_was_used_least_recently_goes_first() -> None:
    maker = _Maker(Cache(max_size=3))
    for key in ("a", "b", "a", "c", "d", "a", "b"):  # d exceeds the limit: b goes
        assert maker.get(key) == key
    assert maker.calls == ["a", "b", "c", "d", "b"]


def test_a_large_result_takes_the_place_of_several() -> None:
    maker = _Maker(Cache(max_size=3))
    for key, size in (("a", 1), ("b", 1), ("large", 3), ("a", 1)):
        maker.get(key, size)
    assert maker.calls == ["a", "b", "large", "a"]


def test_a_result_above_the_limit_is_not_kept_and_costs_no_other_its_place() -> None:
    maker = _Maker(Cache(max_size=3))
    for key, size in (("a", 1), ("too large", 4), ("too large", 4), ("a", 1)):
        maker.get(key, size)
    assert maker.calls == ["a", "too large", "too large"]


def test_equal_objects_are_two_keys_if_only_the_same_object_counts() -> None:
    maker = _Maker(Cache())
    one, equal = [1], [1]
    for value in (one, equal, one):
        maker.get(Same(value))
    assert len(maker.calls) == 2
