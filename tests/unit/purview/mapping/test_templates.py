from __future__ import annotations

import pytest

from sac_kafka.purview.mapping.templates import template

FIELDS = ("host", "path", "schema", "table")
VALUES = {"host": "H.example.org", "path": "a/b c/d", "table": "Orders"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("x", "x"),
        ("{host}", "H.example.org"),
        ("{ host | lower }", "h.example.org"),
        ("{table|upper}", "ORDERS"),
        ("{path.1}-{path.3}", "a-d"),
        ("{path.2 | quote}", "b%20c"),
        ("{path | quote | quote}", "a%252Fb%2520c%252Fd"),
        ("{path.4}", None),
        ("{path.4 | default none}", "none"),
        ("{schema}", None),
        ("{schema | default dbo | upper}.{table}", "DBO.Orders"),
        ("https://{host}/{{SparkPartitions}}", "https://H.example.org/{SparkPartitions}"),
        ("{{{table}}}", "{Orders}"),
        ("a | b", "a | b"),
    ],
)
def test_text_of_a_template(text: str, filled: str | None) -> None:
    assert template(text, FIELDS).fill(VALUES) == filled


def test_the_root_of_a_store_has_no_path_and_no_slash_for_it() -> None:
    root = {"host": "h", "path": ""}
    assert template("https://{host}/{path}", FIELDS).fill(root) == "https://h"
    assert template("https://{host}/{path}/", FIELDS).fill(root) == "https://h//"
    assert template("{path}", FIELDS).fill(root) is None
    assert template("{path.1 | default x}", FIELDS).fill(root) == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("{host", "an unbalanced brace"),
        ("host}", "an unbalanced brace"),
        ("{}", "has {} without a field"),
        ("{hots}", "did you mean host?"),
        ("{hots.2}", "the unknown field {hots}"),
        ("{path.0}", "{path.0}"),
        ("{path.x}", "{path.x}"),
        ("{xyz}", "available: host, path, schema, table"),
        ("{host | uper}", "did you mean upper?"),
        ("{host | default}", "'default'"),
        ("{host | default a | default b}", "'default b'"),
        ("{host |}", "the unknown filter ''"),
        ("a\x1b[31m", "non-printable"),
        ("x" * 4_001, "4,001 characters"),
    ],
)
def test_invalid_template(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        template(text, FIELDS)
    assert message in str(raised.value)


def test_fields_of_a_template() -> None:
    read = template("{host}/{schema | default dbo}/{path.2}", FIELDS)
    assert read.needs == {("host", 0), ("path", 2)}
