"""Kinds of setting values and their errors."""

from __future__ import annotations

import pytest

from sac_kafka.settings.declarations.choices import TableModel, Views
from sac_kafka.settings.declarations.values import (
    BOOLEAN,
    NAMESPACE,
    PATTERNS,
    TOPIC,
    Kind,
    integer,
    one_of,
    seconds,
)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (BOOLEAN, "TRUE", True),
        (BOOLEAN, "False", False),
        (integer(1, 10), "10", 10),
        (integer(-5, 10), "-5", -5),
        (integer(1, 10), "+7", 7),
        (seconds(0, 600), "0.25", 0.25),
        (seconds(0, 600), "600", 600.0),
        (one_of(Views), "HOP", Views.HOP),
        (one_of(TableModel, automatic="auto"), "Hive", TableModel.HIVE),
        (one_of(TableModel, automatic="auto"), "auto", None),
        (TOPIC, "T, U", "T"),
        (NAMESPACE, "dev", "dev"),
        (NAMESPACE, "dev, prod", "prod"),
        (PATTERNS, "a,b", ("a", "b")),
        (PATTERNS, r"\d{4,6}, [,;]x,,(a,b)", (r"\d{4,6}", "[,;]x", "(a,b)")),
        (PATTERNS, r"a\,b,c", (r"a\,b", "c")),
    ],
)
def test_a_text_becomes_a_value(kind: Kind, text: str, value: object) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (BOOLEAN, "yes", "true or false"),
        (integer(1, 10), "1.0", "integer from 1 to 10"),
        (integer(1, 10), "1_0", "integer from 1 to 10"),
        (integer(1, 10), "٣", "integer from 1 to 10"),
        (integer(1, 10), "11", "from 1 to 10"),
        (integer(1, 10), "9" * 5000, "from 1 to 10"),
        (seconds(1, 600), "30s", "without a unit"),
        (seconds(1, 600), "nan", "number of seconds"),
        (seconds(1, 600), "0.5", "from 1 to 600 seconds"),
        (one_of(Views), "c", "one of hop, through"),
        (one_of(TableModel, automatic="auto"), "delta", "one of auto, spark, hive"),
        (TOPIC, ",T", "begin with a comma"),
        (one_of(Views), "throuhg", r"did you mean through\?"),
        (NAMESPACE, "dev,", "comma"),
        (NAMESPACE, "dev  # my environment", "not contain blanks, quotes, #"),
        (NAMESPACE, '"dev"', "not contain blanks, quotes, #"),
        (NAMESPACE, "my env", "not contain blanks, quotes, #"),
        (TOPIC, "ATLAS HOOK", "the name of a topic"),
        (TOPIC, "..", "the name of a topic"),
        (TOPIC, "x" * 250, "1 to 249"),
        (PATTERNS, "a,(b", r"'\(b' is not a regular expression"),
    ],
)
def test_invalid_text_names_the_allowed_values(kind: Kind, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind.read(text)
