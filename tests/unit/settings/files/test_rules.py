"""Filter rules as text: their meaning, and each error with the setting, the rule and a fix."""

from __future__ import annotations

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.arguments import properties_of
from sac_kafka.settings.declarations.rules import MAX_RULE_LENGTH, MAX_RULES, parse_include, rule, rules
from tests.helpers.secret_search import used

EXCLUDE, INCLUDE = "atlas.hook.spark.exclude", "atlas.hook.spark.include"
PASSWORD = used("s3cret-of-a-rule")


@pytest.mark.parametrize(
    ("text", "subject", "glob"),
    [
        ("table:tmp_*.*", "table", "tmp_*.*"),
        ("TABLE: tmp_*", "table", "tmp_*"),
        ("path:s3a://b/**", "path", "s3a://b/**"),
        ("jdbc:postgresql://*/audit.*", "jdbc", "postgresql://*/audit.*"),
        ("hbase:audit:*", "hbase", "audit:*"),
        ("kind:files", "kind", "files"),
        ("job:etl: daily", "job", "etl: daily"),
        ("user:alice@EXAMPLE.COM", "user", "alice@EXAMPLE.COM"),
        ("tmp_*", None, "tmp_*"),
        ("s3a://b/tmp/**", None, "s3a://b/tmp/**"),
        ("file:/tmp/**", None, "file:/tmp/**"),
        ("/tmp/**", None, "/tmp/**"),
        ("*:log", None, "*:log"),
        ("path:/x/{date}/{uuid}/{run}", "path", "/x/{date}/{uuid}/{run}"),
    ],
)
def test_a_rule(text: str, subject: str | None, glob: str) -> None:
    read = rule(text)
    assert (read.subject, read.glob, str(read)) == (subject, glob, text)


def test_rules_are_separated_by_commas_and_ends_of_lines() -> None:
    assert [str(each) for each in rules(" table:a , table:b\n\n path:/c,,table:a ")] == [
        "table:a",
        "table:b",
        "path:/c",
    ]


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (EXCLUDE, "tabel:tmp_*", "'tabel:tmp_*': a rule must begin with table:, path:, topic:, jdbc:, hbase:, other:, "
         "kind:, job:, user: or be a glob alone (did you mean table?)"),
        (EXCLUDE, "table:", "'table:' has no name; write one, as in table:tmp_*.*"),
        (EXCLUDE, "table:.", "'table:.' has no name"),
        (EXCLUDE, "path://", "'path://' has no name; write one, as in path:/scratch/**"),
        (EXCLUDE, "/", "'/' has no name"),
        (EXCLUDE, "kind:file",
         "'kind:file': the kind must be one of tables, files, kafka, jdbc, hbase, other (did you mean files?)"),
        (EXCLUDE, "!table:x", "'!table:x': ! is not supported; atlas.hook.spark.exclude lists only what is excluded"),
        (EXCLUDE, "table:{a,table:b",
         "'table:{a': braces are only supported in {date}, {uuid}, {run}; write one rule per name"),
        (INCLUDE, "kind:tables,path:/x", "'path:/x' has no effect, because kind:tables excludes all other kinds; "
         "add kind:files, or remove kind rules"),
        (EXCLUDE, f"path:/{'x' * MAX_RULE_LENGTH}", f"has 1,006 characters; a rule has at most {MAX_RULE_LENGTH:,}"),
        (EXCLUDE, ",".join(f"table:t{n}" for n in range(MAX_RULES + 1)), "1,001 rules are too many: at most 1,000"),
    ],
)  # fmt: skip
def test_invalid_rule(key: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Settings.read({key: text}, "/etc/atlas-application.properties")
    assert str(raised.value).startswith(f"/etc/atlas-application.properties: {key} = ")
    assert message in str(raised.value)
    assert "correct it, or remove it for the default" in str(raised.value)


def test_a_secret_in_a_rule_is_not_shown() -> None:
    with pytest.raises(ConfigurationError) as raised:
        Settings.read({EXCLUDE: f"jdbc:postgresql://u:{PASSWORD}@h/**"}, "here")
    assert PASSWORD not in str(raised.value)
    assert "looks like a secret" in str(raised.value)


def test_included_kind_and_name_of_that_kind_may_be_combined() -> None:
    assert len(parse_include("kind:tables,kind:files,table:sales.*,path:/x,*_report,job:x")) == 6


def test_as_arguments_of_attach() -> None:
    given = properties_of({"exclude": ["table:tmp_*", "job:x"], "include": "user:a\nuser:b", "exclude_defaults": False})
    read = Settings.read(given, "attach").filters
    assert [str(each) for each in (*read.exclude, *read.include)] == ["table:tmp_*", "job:x", "user:a", "user:b"]
    assert read.with_defaults is False
    assert Settings().filters.with_defaults is True
