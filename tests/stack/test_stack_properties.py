"""Values survive the rules of the readers of .properties files (the expectations were seen with the real readers)."""

from __future__ import annotations

import pytest

from stack.errors import StackError
from stack.properties import atlas_properties, atlas_value, java_properties, java_value, login_module


@pytest.mark.parametrize(
    ("value", "for_java", "for_atlas"),
    [
        ("plain=1;x:/y#z", "plain=1;x:/y#z", "plain=1;x:/y#z"),
        ("a,b", "a,b", r"a\,b"),
        (r"C:\temp", r"C:\\temp", r"C:\\temp"),
        (r"C:\temp,x", r"C:\\temp,x", r"C:\\\\temp\,x"),
        ("é😀", r"\u00e9\ud83d\ude00", r"\u00e9\ud83d\ude00"),
        ("$ConnectionString", "$ConnectionString", "$ConnectionString"),
    ],
)
def test_values_are_escaped_for_each_reader(value: str, for_java: str, for_atlas: str) -> None:
    assert (java_value(value), atlas_value(value)) == (for_java, for_atlas)


@pytest.mark.parametrize("value", [" a", "a ", "a\nb", "a\tb"])
def test_what_a_reader_would_lose_is_refused(value: str) -> None:
    with pytest.raises(StackError, match="cannot be written"):
        java_value(value)
    with pytest.raises(StackError, match="cannot be written"):
        atlas_value(value)


def test_a_value_that_would_be_interpolated_is_refused() -> None:
    with pytest.raises(StackError, match=r"\$\{"):
        atlas_value("pass${word}")


@pytest.mark.parametrize(("ending", "in_the_file", "backslashes"), [("b;c", "b;c", 6), ("b,c;d", r"b\,c;d", 12)])
def test_a_password_goes_through_all_layers(ending: str, in_the_file: str, backslashes: int) -> None:
    """Once for the login module, once for the file, and once more where the whole value holds a comma."""
    password = 'a\\"' + ending
    expected = 'M required password="a' + "\\" * backslashes + '"' + in_the_file + '";'
    assert atlas_value(login_module("M", {"password": password})) == expected


def test_files_have_a_line_a_setting() -> None:
    assert java_properties({"a.b": "1", "c": "x,y"}) == "a.b=1\nc=x,y\n"
    assert atlas_properties({"a.b": "1", "c": "x,y"}) == "a.b=1\nc=x\\,y\n"
