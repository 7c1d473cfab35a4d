"""Rules as they are written: what they are about, and each way of being wrong, with the setting, the rule and the cure."""

from __future__ import annotations

import pytest

from sac_kafka.config.rules import LONGEST, MOST, included, rule, rules
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.arguments import properties_of
from tests.secret_search import used

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
    ("key", "text", "said"),
    [
        (EXCLUDE, "tabel:tmp_*", "'tabel:tmp_*': a rule begins with table:, path:, topic:, jdbc:, hbase:, other:, kind:, job:, "
         "user: or is a glob by itself (did you mean table?)"),
        (EXCLUDE, "table:", "'table:' names nothing; write what it is about, as in table:tmp_*.*"),
        (EXCLUDE, "table:.", "'table:.' names nothing"),
        (EXCLUDE, "path://", "'path://' names nothing; write what it is about, as in path:/scratch/**"),
        (EXCLUDE, "/", "'/' names nothing"),
        (EXCLUDE, "kind:file", "'kind:file': a kind is one of tables, files, kafka, jdbc, hbase, other (did you mean files?)"),
        (EXCLUDE, "!table:x", "'!table:x': there is no !; what is to stay is not named by atlas.hook.spark.exclude"),
        (EXCLUDE, "table:{a,table:b", "'table:{a': braces mean nothing but in {date}, {uuid}, {run}; write a rule for each name"),
        (INCLUDE, "kind:tables,path:/x", "'path:/x' includes nothing, because kind:tables leaves out all other kinds; "
         "add kind:files, or name no kind"),
        (EXCLUDE, f"path:/{'x' * LONGEST}", f"has 1,006 characters; a rule has at most {LONGEST:,}"),
        (EXCLUDE, ",".join(f"table:t{n}" for n in range(MOST + 1)), "1,001 rules are too many: 1,000 at most"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(key: str, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Settings.read({key: text}, "/etc/atlas-application.properties")
    assert str(raised.value).startswith(f"/etc/atlas-application.properties: {key} = ")
    assert said in str(raised.value)
    assert "correct it, or remove it for the default" in str(raised.value)


def test_a_secret_in_a_rule_is_not_shown() -> None:
    with pytest.raises(ConfigurationError) as raised:
        Settings.read({EXCLUDE: f"jdbc:postgresql://u:{PASSWORD}@h/**"}, "here")
    assert PASSWORD not in str(raised.value)
    assert "looks like a secret" in str(raised.value)


def test_an_included_kind_and_a_name_of_that_kind_go_together() -> None:
    assert len(included("kind:tables,kind:files,table:sales.*,path:/x,*_report,job:x")) == 6


def test_as_arguments_of_attach() -> None:
    given = properties_of({"exclude": ["table:tmp_*", "job:x"], "include": "user:a\nuser:b", "exclude_defaults": False})
    read = Settings.read(given, "attach").leaving_out
    assert [str(each) for each in (*read.exclude, *read.include)] == ["table:tmp_*", "job:x", "user:a", "user:b"]
    assert read.with_defaults is False
    assert Settings().leaving_out.with_defaults is True
