"""Grammar of sasl.jaas.config, as Kafka's client accepts and rejects it (reference kafka.md 1.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.jaas import JaasEntry, jaas_text, parse
from tests.helpers.every_row import every_row

LOGINS = Path(__file__).parents[3] / "fixtures" / "config" / "logins.json"


def options(text: str) -> dict[str, str]:
    return dict(parse(f"a.Module required {text};").options)


def test_an_entry_has_module_flag_and_options() -> None:
    entry = parse("org.x.PlainLoginModule Required\n\tusername=\"u\" password='p' ;")
    assert (entry.module, entry.control_flag) == ("org.x.PlainLoginModule", "REQUIRED")
    assert dict(entry.options) == {"username": "u", "password": "p"}


@every_row(
    ("text", "expected"),
    [
        ("", {}),
        ("k=abc123", {"k": "abc123"}),
        ("k=abc-1.2", {"k": "abc-1.2"}),
        ("k=$ConnectionString", {"k": "$ConnectionString"}),
        ('k="$ConnectionString"', {"k": "$ConnectionString"}),
        ('k="Endpoint=sb://x/;SharedAccessKey=a="', {"k": "Endpoint=sb://x/;SharedAccessKey=a="}),
        ('k=""', {"k": ""}),
        (r'k="a\"b"', {"k": 'a"b'}),
        (r'k="a\\b"', {"k": r"a\b"}),
        (r'k="a\d"', {"k": "ad"}),
        (r'k="a\b"', {"k": "a\b"}),
        (r'k="\101\60\477"', {"k": "A0'7"}),
        ("k=1 k='2'", None),
        ("k='1' k='2'", {"k": "2"}),
        ("a='1' // comment\n b='2' /* c='3' */", {"a": "1", "b": "2"}),
        ("'quoted key'=v", {"quoted key": "v"}),
        ("k=é_$", {"k": "é_$"}),
        ("k = v", {"k": "v"}),
        ("1=v k=w", {"k": "w"}),
        ("k=123abc", None),
        ("k=p@ss", None),
        ("k=-x", None),
        ("k=", None),
        ("k", None),
        ("keyTab=/etc/x.keytab", None),
        ('k="open', None),
        ('k="a\nb"', None),
    ],
)
def test_an_option_is_accepted_as_kafka_accepts_it(text: str, expected: dict[str, str] | None) -> None:
    if expected is None:
        with pytest.raises(ConfigurationError):
            options(text)
    else:
        assert options(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no login module"),
        ("   // nothing", "no login module"),
        ("= required;", "does not start with"),
        ("a.Module", "required, requisite"),
        ("a.Module often;", "required, requisite"),
        ('a.Module password="hunter2";', "required, requisite"),
        ("KafkaClient { a.Module required; };", "braces"),
        ('a.Module required password="hunter2"', "the ; at the end is missing"),
        ('a.Module required password="hunter2', "the ; at the end is missing"),
        ("a.Module required password=hunter2 hunter2;", "option number 2"),
        ("a.Module required password=0hunter2;", "the option password"),
        ("a.Module required; b.Module required;", "key set twice"),
    ],
)
def test_error_names_the_problem_and_shows_no_value(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(text, "f.properties: sasl.jaas.config")
    message = str(caught.value)
    assert message.startswith("f.properties: sasl.jaas.config: ")
    assert problem in message
    assert "hunter2" not in message


@every_row("case", json.loads(LOGINS.read_text("utf-8")), label=lambda case: ascii(case["text"])[:40])
def test_a_hard_login_is_read_as_kafka_reads_it(case: dict[str, Any]) -> None:
    if case["login"] is None:
        with pytest.raises(ConfigurationError):
            parse(case["text"])
        return
    entry = parse(case["text"])
    assert [entry.module, entry.control_flag, dict(entry.options)] == case["login"]
    assert parse(jaas_text(entry)) == entry


def test_the_repr_shows_no_password() -> None:
    entry = parse('a.M required username="u" password="hunter2";')
    assert isinstance(entry, JaasEntry)
    assert "hunter2" not in repr(entry)
    assert "'u'" in repr(entry)


def test_error_for_a_bare_connection_string_has_the_complete_line() -> None:
    with pytest.raises(
        ConfigurationError, match=r'username="\$ConnectionString" password="…"; \(the connection'
    ) as caught:
        parse("Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=hidden=")
    assert "hidden" not in str(caught.value)
