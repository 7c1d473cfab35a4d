"""Rules of commons-configuration 1.10, each with the result of the real library (reference kafka.md 3.2)."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.properties import load_properties
from tests.unit.settings.files.originals import generating

CORPUS = Path(__file__).parents[3] / "fixtures" / "config"
SYSTEM = {"user.name": "ada"}
ENVIRONMENT = {"HOME": "/home/ada", "LIST": "x,y"}


def read(tmp_path: Path, text: str | bytes) -> dict[str, str]:
    path = tmp_path / "atlas-application.properties"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_properties(path, SYSTEM, ENVIRONMENT).values


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("k=a, b ,c", "a,b,c"),
        (r"k=a\,b,c", "a,b,c"),
        (r"k=abc\,def", "abc,def"),
        (r"k=abc\\def", r"abc\def"),
        (r"k=C:\\temp", r"C:\temp"),
        (r"k=C:\\temp,d", r"C:\temp,d"),
        ("k=v   ", "v"),
        ("k = v", "v"),
        ("k:v", "v"),
        ("k v w", "v w"),
        ("k\t=\tv", "v"),
        ("k==v", "=v"),
        ("k=", ""),
        (r"k=a\qb", "aqb"),
        (r"k=a\tb\nc", "a\tb\nc"),
        (r"k=\u00e9\u20ac", "é€"),
        (r"k=x\u00", "x"),
        (r"k=\ud83d\ude00!", "\U0001f600!"),
        (r"k=a,\uD83D\uDE00", "a,\U0001f600"),
        ("k=one\nk=two", "one,two"),
        ("k=a,\\\n   b", "a,b"),
        ("k=a\\\n# a comment inside\n\n  b", "ab"),
        ("k=a\\\\\nb=c", "a\\"),
        ("k=a\r\nb=c\r", "a"),
        ("k=,a,b", ",a,b"),
        ("k=h1:9092, h2:9092", "h1:9092,h2:9092"),
        ('k="$ConnectionString"', '"$ConnectionString"'),
        ("k=${env:HOME}/x", "/home/ada/x"),
        ("k=${sys:user.name}", "ada"),
        ("k=${sys:nothing}/${env:NOTHING}", "${sys:nothing}/${env:NOTHING}"),
        ("k=${no:-d}", "${no:-d}"),
        ("a=1\nk=${a}${a}", "11"),
        ("a=1,2\nk=${a}", "1"),
        ("a=${b}\nb=${c}\nc=d\nk=${a}", "d"),
        ("k=${open", "${open"),
        ("a=1\nk=$${a}", "1"),
        ("k=${env:LIST}", "x,y"),
        ("#k=comment\n!k=comment\n  # k=c\nk=v", "v"),
    ],
)
def test_value_is_read_as_by_atlas(tmp_path: Path, line: str, value: str) -> None:
    assert read(tmp_path, line)["k"] == value


@pytest.mark.parametrize(
    ("line", "key"),
    [(r"a\=b=c", "a=b"), (r"a\ b=c", "a b"), (r"a\:b c", "a:b"), (r"\u0061=c", "a"), (r"a\\b=c", "a\\b")],
)
def test_an_escaped_key_keeps_its_separators(tmp_path: Path, line: str, key: str) -> None:
    assert read(tmp_path, line) == {key: "c"}


def test_a_line_without_separator_and_an_unfinished_last_line_are_lost(tmp_path: Path) -> None:
    assert read(tmp_path, "alone\nk=v\nlast=x\\") == {"": "", "k": "v"}


def test_a_jaas_entry_survives_unescaped(tmp_path: Path) -> None:
    entry = (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="$ConnectionString" password="Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=a+b/c=";'
    )
    assert read(tmp_path, f"atlas.kafka.sasl.jaas.config={entry}") == {"atlas.kafka.sasl.jaas.config": entry}


@pytest.mark.parametrize(
    ("data", "value"),
    [("k=Köln".encode(), "Köln"), ("k=Köln".encode("iso-8859-1"), "Köln"), (b"\xef\xbb\xbfk=v", "v")],
)
def test_bytes_are_utf_8_or_else_latin_1(tmp_path: Path, data: bytes, value: str) -> None:
    assert read(tmp_path, data) == {"k": value}


def test_system_properties_may_be_looked_up_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "f.properties"
    path.write_text("k=${sys:a}")
    looked_up: list[str] = []
    assert load_properties(path, lambda name: looked_up.append(name) or "b").values == {"k": "b"}
    assert "a" in looked_up


def test_an_included_file_adds_its_values_in_place(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "more.properties").write_text("k=2\ninclude=next.properties\nbase=yes\ninclude=top.properties")
    (tmp_path / "sub" / "next.properties").write_text("n=next")
    (tmp_path / "top.properties").write_text("t=from the base path")
    found = read(tmp_path, "d=sub\nk=1\nINCLUDE=${d}/more.properties\nk=3")
    assert found == {"d": "sub", "k": "1,2,3", "n": "next", "base": "yes", "t": "from the base path"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("include=missing.properties", "missing.properties"),
        ("include=atlas-application.properties", "includes itself"),
        ("a=${b}\nb=${a}", "refers to itself"),
        ("ok=1\n\nk=a\\uzzzz", "line 3: k contains an invalid"),
        ("ok=1\nk\\uzzzz=a", "line 2: the key contains an invalid"),
    ],
)
def test_error_of_an_unreadable_file_names_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        read(tmp_path, text)
    assert str(tmp_path) in str(caught.value)


def test_a_broken_escape_shows_no_piece_of_the_value(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"line 1: a\.password contains an invalid Unicode escape \\u"
    ) as caught:
        read(tmp_path, r"a.password=corp\user\uHuntEr2")
    assert "unt" not in str(caught.value).removeprefix(str(tmp_path))


def test_repeated_key_has_the_value_of_each_line(tmp_path: Path) -> None:
    (tmp_path / "more.properties").write_text("k=3\nother=${one}\n")
    top = tmp_path / "top.properties"
    top.write_text("one=x,y\nother=a,${one}\nk=1,2\ninclude=more.properties\n")
    found = load_properties(top, {})
    assert found.values == {"one": "x,y", "other": "a,x,x", "k": "1,2,3"}
    assert found.repeated == {"other": ("a,x", "x"), "k": ("1,2", "3")}


def test_files_that_include_each_other_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.properties").write_text("include=b.properties")
    (tmp_path / "b.properties").write_text("include=a.properties")
    with pytest.raises(ConfigurationError, match=r"a\.properties -> .*b\.properties -> .*a\.properties"):
        load_properties(tmp_path / "a.properties", {})


@pytest.mark.parametrize("name", sorted(json.loads((CORPUS / "properties.json").read_text("utf-8"))))
def test_a_hard_file_is_read_as_atlas_reads_it(name: str) -> None:
    theirs = json.loads((CORPUS / "properties.json").read_text("utf-8"))[name]
    file = CORPUS / "properties" / f"{name}.properties"
    if theirs is None:
        with pytest.raises(ConfigurationError, match=re.escape(str(file))):
            load_properties(file, generating.SYSTEM, generating.ENVIRONMENT)
    else:
        assert load_properties(file, generating.SYSTEM, generating.ENVIRONMENT).values == theirs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("include=a\\u0000b", "cannot be read"),
        (f"include={'x' * 5000}", "cannot be read"),
        (
            "\n".join(f"a{n}=${{a{n + 1}}}" for n in range(5000)) + "\na5000=x",
            "references to other values are nested too deeply",
        ),
        ("\n".join(f"a{n}={'x' * 1000}${{a{n + 1}}}${{a{n + 1}}}" for n in range(60)) + "\na60=x", "longer than 262144"),
    ],
)  # fmt: skip
def test_exceeded_limit_is_one_clear_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read(tmp_path, text)


@pytest.mark.slow
def test_random_bytes_give_a_result_or_one_error(tmp_path: Path) -> None:
    chance = random.Random(6)
    pieces = [*generating.PIECES, *generating.KEYS, *generating.ENDS, *generating.SEPARATORS, "include", "\\u0000"]
    answers = 0
    for _ in range(1000):
        text = "".join(chance.choice(pieces) for _ in range(chance.randint(0, 40))).encode()
        noise = bytes(chance.randrange(256) for _ in range(chance.randint(0, 6)))
        place = chance.randint(0, len(text))
        try:
            read(tmp_path, text[:place] + noise + text[place:])
            answers += 1
        except ConfigurationError:
            pass
    assert 200 < answers < 1000


def test_each_key_has_the_lines_that_set_it(tmp_path: Path) -> None:
    (tmp_path / "more.properties").write_text("# more\nk=2\n")
    top = tmp_path / "top.properties"
    top.write_text("k=1\n\nlong=a,\\\n  b\ninclude=more.properties\nk=3\n")
    assert load_properties(top, {}).origins == {
        "k": f"{top}, lines 1, 6 and {tmp_path / 'more.properties'}, line 2",
        "long": f"{top}, line 3",
    }


def test_file_read_by_the_jvm_is_passed_as_bytes() -> None:
    name = "jar:file:/x/conf.jar!/atlas-application.properties"
    found = load_properties(name, {}, {}, "a=ö\nb=${a}\n".encode("iso-8859-1"))
    assert found.values == {"a": "ö", "b": "ö"}
    assert found.origins["b"] == f"{name}, line 2"
    with pytest.raises(ConfigurationError, match=r"conf\.jar!/.*: include = more: a file in a JAR cannot include"):
        load_properties(name, {}, {}, b"include=more")


def test_the_repr_of_what_was_read_shows_no_value(tmp_path: Path) -> None:
    top = tmp_path / "top.properties"
    top.write_text("k.password=hunter2\n")
    assert "hunter2" not in repr(load_properties(top, {}))


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.properties: cannot be read: No such file"):
        load_properties(tmp_path / "none.properties", {})
