"""Length limits of texts in attributes."""

from __future__ import annotations

import doctest

import pytest

from sac_kafka.atlas import limits
from sac_kafka.atlas.limits import CUSTOM_VALUES, list_names, shorten, truncate
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT


def test_examples_in_the_docstrings():
    assert doctest.testmod(limits).failed == 0


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("", 5, ""),
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("😀😀", 4, "😀😀"),
        ("😀😀😀", 4, "😀…"),
        ("😀😀😀", 5, "😀😀…"),
        ("a\ud83d", 4, "a\ud83d"),
    ],
)
def test_prose_is_cut_at_its_end_counted_as_java_counts(text, limit, expected):
    assert truncate(text, limit) == expected
    assert len(expected.encode("utf-16-le", "surrogatepass")) // 2 <= limit


def test_short_name_is_kept():
    assert shorten("a" * 400, 400) == "a" * 400


def test_long_names_that_differ_in_the_middle_stay_different():
    a, b = ("x" * 500 + letter + "y" * 500 for letter in "ab")
    assert shorten(a, 400) != shorten(b, 400)
    assert len(shorten(a, 400)) <= 400
    assert shorten(a, 400).startswith("xxx")
    assert shorten(a, 400).endswith("yyy")


def test_list_is_spread_over_keys_and_the_rest_counted():
    names = [f"{number:03}" + "x" * 197 for number in range(12)]
    result = list_names("read", names)
    assert list(result) == ["read", "read_2", "read_3", "read_4", "read_more"]
    assert result["read"] == ", ".join(names[:2])
    assert result["read_more"] == str(12 - 2 * CUSTOM_VALUES)


def test_list_counts_as_java_counts():
    for value in list_names("read", ["😀" * 100] * 9 + ["é" * 600, "😀" * 600]).values():
        assert len(value.encode("utf-16-le")) // 2 <= CUSTOM_VALUE_LIMIT


def test_empty_list_has_no_key():
    assert list_names("read", []) == {}
