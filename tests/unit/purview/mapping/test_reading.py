"""Files of rules: valid contents, and the errors and warnings for invalid ones."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from sac_kafka.errors import ConfigurationError, WrongRulesError
from sac_kafka.purview.mapping.dataset_fields import DatasetKind
from sac_kafka.purview.mapping.lines import RulePlaces, lines
from sac_kafka.purview.mapping.reading import read_rules
from sac_kafka.purview.mapping.rules import MappingRule, MappingRules, Treatment
from tests.helpers.hostile import fault
from tests.helpers.work import assert_linear

RULE = '[[rule]]\nmatch.host = "h"\ntype = "t"\nqualifiedName = "q"\n'


def wrong(text: str) -> tuple[str, ...]:
    with pytest.raises(WrongRulesError) as raised:
        read_rules(text, "m.toml")
    return raised.value.sentences


def rules(text: str) -> tuple[MappingRule, ...]:
    return tuple(each for each in read_rules(text, "m.toml").rules if isinstance(each, MappingRule))


def test_an_empty_file_has_no_rules() -> None:
    assert read_rules("# nothing yet\n", "m.toml") == MappingRules(place="m.toml")


def test_a_file_of_everything() -> None:
    read = read_rules(
        """
[mounts]
"dbfs:/mnt/raw/" = "abfss://raw@lake.dfs.core.windows.net/"
"/mnt/b" = "s3a://b"
"dbfs:///mnt/c" = "wasbs://c@a.blob.core.windows.net/x"

[locations]
"abfss://*@lake.dfs.core.windows.net/lookup/**" = "file"
"s3a://b/*" = "folder"

[[rule]]
title = "archive"
match = { kind = ["path", "other"], host = ["a", "b"] }
type = "azure_blob_path"
qualifiedName = "https://{host}/{path}"
""",
        "m.toml",
    )
    assert read.mounts == (
        ("dbfs:/mnt/raw", "abfss://raw@lake.dfs.core.windows.net"),
        ("dbfs:/mnt/b", "s3a://b"),
        ("dbfs:/mnt/c", "wasbs://c@a.blob.core.windows.net/x"),
    )
    assert [(each.treatment, each.place) for each in read.locations] == [
        (Treatment.FILE, "m.toml, line 8"),
        (Treatment.FOLDER, "m.toml, line 9"),
    ]
    (rule,) = read.rules
    assert rule.description == "archive (m.toml, line 11)"
    assert isinstance(rule, MappingRule)
    assert rule.kinds == {DatasetKind.PATH, DatasetKind.OTHER}
    assert read.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        '[[rule]]\nmatch.host = "h"\ntype = "t"\nqualifiedName = "{host}"',
        '[[rule]]\ntype = "t"\nqualifiedName = "{host}"\n[rule.match]\nhost = "h"',
        '[[ rule ]] # x\nmatch = { host = "h" }\ntype = "t"\nqualifiedName = "{host}"',
        '[[rule]]\nmatch . host = \'h\'\n"type" = """t"""\nqualifiedName = "{host}"',
        'rule = [{match = {host = "h"}, type = "t", qualifiedName = "{host}"}]',
        '\ufeff[[rule]]\r\nmatch.host = "h"\r\ntype = "t"\r\nqualifiedName = "{host}"\r\n',
    ],
)
def test_every_toml_form_of_a_rule(text: str) -> None:
    (rule,) = rules(text)
    assert (rule.type_name, rule.qualified_name.text, rule.place) == ("t", "{host}", "m.toml, line 1")


def test_rule_applies_to_kinds_with_all_its_fields() -> None:
    def kinds(lines: str) -> set[DatasetKind]:
        (rule,) = rules(f'[[rule]]\ntype = "t"\n{lines}')
        return set(rule.kinds)

    assert kinds('match.host = "h"\nqualifiedName = "q"') == {
        DatasetKind.PATH,
        DatasetKind.DATABASE,
        DatasetKind.TOPIC,
        DatasetKind.OTHER,
    }
    assert kinds('match.host = "h"\nqualifiedName = "{path}"') == {DatasetKind.PATH, DatasetKind.OTHER}
    assert kinds('match.host = "h"\nqualifiedName = "{host}"\nname = "{container}"') == {DatasetKind.PATH}
    assert kinds('match.database = "h"\nqualifiedName = "{schema | default x}"') == {
        DatasetKind.TABLE,
        DatasetKind.DATABASE,
    }
    assert kinds('match.kind = "topic"\nqualifiedName = "{workspace}/{namespace}/{metastore}"') == {DatasetKind.TOPIC}


def test_reports_all_errors_at_once_with_their_lines() -> None:
    errors = wrong(
        """[mount]
"a" = "b"
[mounts]
"s3://x" = "abfss://c@a.dfs.core.windows.net"
"dbfs:/mnt/x" = "c"
"dbfs:/mnt/y" = 3
[locations]
"raw/x" = "file"
"s3://b/x" = "fil"
"s3://b/{x" = "file"
[[rule]]
match.hots = "h"
typ = "t"
qualifiedName = "{hots}"
[[rule]]
host = "h"
match.path = ["a{", 3, ""]
type = "a-b"
qualifiedName = ""
[[rule]]
match = {}
type = 3
qualifiedName = "q"
[[rule]]
match.kind = "topc"
type = "t"
qualifiedName = "q"
[[rule]]
match.host = "{host}.x"
match.path = "{a}/{a}"
type = "t"
qualifiedName = "q"
[[rule]]
match.topic = "{t}"
match.path = "{t}"
type = "t"
qualifiedName = "q"
[[rule]]
match.host = "h"
type = "t"
qualifiedName = "{container}{topic}"
"""
    )
    expected = [
        (1, "unknown table 'mount'; available: [[rule]], [mounts], [locations] (did you mean mounts?)"),
        (13, "unknown key 'typ' in a rule; available: title, match, type, qualifiedName, name (did you mean type?)"),
        (11, "the rule has no type"),
        (12, "unknown field match.hots; available: "),
        (14, "the unknown field {hots} (did you mean host?)"),
        (16, "write conditions as match.host"),
        (18, "'a-b' is not a valid type name"),
        (17, "match.path = 'a{' has an unbalanced brace"),
        (17, "match.path = 3 must be a string"),
        (19, "qualifiedName = '' is empty"),
        (22, "type must be a string; write it in quotes"),
        (21, "match must have at least one condition"),
        (25, "unknown kind 'topc'; available: path, table, database, topic, other (did you mean topic?)"),
        (29, "match captures the word 'host', which is the name of a field"),
        (30, "captures the word 'a' twice"),
        (34, "match captures the word 't' twice"),
        (34, "no kind of dataset has all fields topic, path"),
        (41, "no kind of dataset has all fields container, topic; path: scheme, host"),
        (4, "'s3://x' is not a mount point; write dbfs:/mnt/NAME"),
        (5, "'c' is not the URI of a store"),
        (6, "'dbfs:/mnt/y': key and value must be non-empty strings"),
        (8, "'raw/x' is not a URI"),
        (9, "unknown treatment 'fil'; available: resource-set, folder, file (did you mean file?)"),
        (10, "'s3://b/{x' has an unbalanced brace"),
    ]  # fmt: skip
    for line, sentence in expected:
        assert any(each.startswith(f"m.toml, line {line}: ") and sentence in each for each in errors), (line, sentence)
    assert len(errors) == len(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a =", "m.toml: is not valid TOML: Invalid value (at end of document)"),
        ("a = raw", "is not valid TOML: Invalid value (at line 1, column 5); put strings in quotes"),
        ('[[rule]]\nmatch.path = "a\\d"', "is not valid TOML: Unescaped"),
        ('{"olToPurviewMappings": []}', "convert a JSON file of the accelerator with sac-kafka map import"),
        ("rule = 3", "m.toml, line 1: rules must be an array of tables; begin each rule with [[rule]]"),
        ("[rule]\nx = 1", "m.toml, line 1: rules must be an array of tables; begin each rule with [[rule]]"),
        ("mounts = 3", "m.toml, line 1: mounts must be a table; write [mounts]"),
        ("[[locations]]\nx = 1", "m.toml, line 1: locations must be a table; write [locations]"),
        ("x = " + "[" * 9_000, "brackets are nested too deeply"),
        ("# " + "x" * 10_000, "m.toml, line 1: has 10,002 characters; the maximum is 10,000"),
        ("#x\n" * 400_000, "m.toml: has 1,200,000 characters; the maximum is 1,000,000"),
        (RULE * 1_001, "m.toml: has 1,001 rules; the maximum is 1,000"),
        (RULE.replace('"h"', str(["h"] * 101)), "m.toml, line 2: match.host has 101 globs; state 1 to 100"),
        (RULE.replace('"h"', "[]"), "m.toml, line 2: match.host has 0 globs"),
        (RULE.replace('"h"', '["{a}.x", "x"]'), "m.toml, line 2: match.host = 'x' captures other words than '{a}.x'"),
        (RULE.replace("host", "name"), "m.toml, line 2: unknown field match.name"),
        (
            RULE.replace("host", 'table = "t"\nmatch.path'),
            "m.toml, line 2: no kind of dataset has all fields table, path",
        ),
    ],
)
def test_invalid_contents_are_rejected(text: str, message: str) -> None:
    assert any(message in each for each in wrong(text)), wrong(text)


@pytest.mark.parametrize(
    "text",
    [
        RULE.replace('"q"', '"https://u:geheim12@h/x"'),
        RULE.replace('"h"', '"https://u:geheim12@h/x"'),
        RULE.replace('"t"', '"password=geheim12"'),
        '[mounts]\n"dbfs:/mnt/x" = "wasbs://c@h/?sig=geheim12"',
        '[locations]\n"s3a://AK:geheim12@b/x" = "file"',
    ],
)
def test_a_secret_is_refused_and_not_shown(text: str) -> None:
    errors = wrong(text)
    assert any("secret" in each for each in errors)
    assert "geheim12" not in "".join(errors)


@pytest.mark.parametrize(
    ("first", "second", "is_shadowed"),
    [
        ('host = "h"', 'host = "h"', True),
        ('host = "*"', 'host = "h*"', True),
        ('host = "h*"', 'host = "h1"', True),
        ('host = "h1"', 'host = "h*"', False),
        ('host = ["a", "h*"]', 'host = ["h1", "h2"]', True),
        ('host = "h*"', 'host = ["h1", "x"]', False),
        ('host = "h"', 'host = "h"\nmatch.path = "x"', True),
        ('host = "h"\nmatch.path = "x"', 'host = "h"', False),
        ('path = "**"', 'path = "raw/*"', True),
        ('path = "*"', 'path = "raw/x"', False),
        ('kind = "path"', 'kind = "topic"', False),
        ('kind = "path"', 'container = "c"', True),
        ('host = "H"', 'host = "h"', True),
    ],
)
def test_warns_about_a_shadowed_rule(first: str, second: str, *, is_shadowed: bool) -> None:
    text = "".join(f'[[rule]]\nmatch.{each}\ntype = "t"\nqualifiedName = "q"\n' for each in (first, second))
    (*warnings,) = read_rules(text, "m.toml").warnings
    line = 5 + first.count("\n")
    assert [each.startswith(f"m.toml, line {line}: never matches, because m.toml, line 1") for each in warnings] == (
        [True] if is_shadowed else []
    )


def test_a_rule_that_may_lack_a_field_shadows_none() -> None:
    first = RULE.replace('"q"', '"{schema}"').replace("host", 'kind = "database"\nmatch.host')
    assert read_rules(first + RULE, "m.toml").warnings == ()
    sure = RULE.replace('"q"', '"{schema | default x}"').replace("host", 'kind = "database"\nmatch.host')
    second = RULE.replace("host", 'kind = "database"\nmatch.host')
    assert len(read_rules(sure + second, "m.toml").warnings) == 1


def test_warns_about_a_shadowed_location() -> None:
    text = '[locations]\n"s3://b/**" = "folder"\n"s3a://b/x" = "file"\n"s3://c/x" = "file"\n'
    (warning,) = read_rules(text, "m.toml").warnings
    assert warning.startswith("m.toml, line 3: never matches, because m.toml, line 2")


def test_text_that_looks_like_a_rule_shifts_no_line_numbers() -> None:
    """Name a rule by its number if the lines are uncertain."""
    text = RULE + '[[rule]]\ntitle = """\n[[rule]]\n"""\nmatch.hots = "h"\ntype = "t"\nqualifiedName = "q"\n'
    assert [each.partition(":")[0] for each in wrong(text)] == ["m.toml, rule 2"]


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "[[rule]]\n",
        "a.",
        "a=1\n",
        '"',
        "'",
        "a = [\n",
        "#\n",
        RULE,
        "a.a.a.a=1\n",
        "match.",
        '[mounts]\n"a"="b"\n',
    ],
)
def test_a_hostile_file_takes_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        with pytest.raises(ConfigurationError):
            read_rules(text + "\nx=", "m.toml")

    assert fault(read, "", unit) is None


def test_python_3_10_reports_the_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 0))
    monkeypatch.setitem(sys.modules, "tomli", None)
    assert wrong(RULE) == ("m.toml: cannot be read: Python before 3.11 needs the package tomli; install it",)


def of_many_hosts(count: int) -> str:
    return "".join(RULE.replace('"h"', f'"h{number}"') for number in range(1_000, 1_000 + count))


def test_many_rules_take_linear_time() -> None:
    def reading(count: int) -> Callable[[], object]:
        text = of_many_hosts(count)
        assert read_rules(text, "m.toml").warnings == ()
        return lambda: read_rules(text, "m.toml")

    assert_linear(reading, 50)


def test_the_lines_of_many_rules_are_found_in_linear_time() -> None:
    def finding(count: int) -> Callable[[], object]:
        places = RulePlaces("m.toml", lines(of_many_hosts(count)))
        assert places.of_table("rule", count - 1, count).place_of("type") == f"m.toml, line {4 * count - 1}"
        return lambda: [places.of_table("rule", number, count).place_of("type") for number in range(count)]

    assert_linear(finding, 50)
