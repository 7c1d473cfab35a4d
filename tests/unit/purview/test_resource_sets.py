"""Resource sets: the patterns that every account has, and the rules that an account adds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.dialects import dialect_of
from sac_kafka.purview.resource_set_patterns import MAX_NAME_LENGTH, TYPES, matched, parsed
from sac_kafka.purview.resource_set_rules import ResourceSetRules, read_rules
from sac_kafka.purview.resource_sets import CALENDAR, REPLACERS, SPARK_PATH, replaced, resource_set
from sac_kafka.settings import Settings
from tests.helpers.every_row import every_row
from tests.helpers.hostile import FILLERS, TIMES
from tests.helpers.work import steps

ROOT = "https://acct.dfs.core.windows.net/raw"

FOLDERS = [
    ("23", "{N}"),
    ("0f8fad5b-d9cb-469f-a165-70867728950e", "{GUID}"),
    ("0F8FAD5BD9CB469FA16570867728950E", "{GUID}"),
    ("x-0f8fad5bd9cb469fa16570867728950e-y", "x-{GUID}-y"),
    ("%7B0f8fad5bd9cb469fa16570867728950e%7D", "%7B{GUID}%7D"),
    ("2026-11-21", "{Year}-{Month}-{Day}"),
    ("2026.11_21", "{Year}.{Month}_{Day}"),
    ("2009-11-21", "{N}-{N}-{N}"),
    ("2026-13-21", "{N}-{N}-{N}"),
    ("2026-11-21T05", "{Year}-{Month}-{Day}T{Hour}"),
    ("2026-11-21T05-06-07Z", "{Year}-{Month}-{Day}T{Hour}-{Minute}-{Second}Z"),
    ("20261121Z", "{Year}{Month}{Day}Z"),
    ("2026-11-21-05Z", "{Year}-{Month}-{Day}-{Hour}Z"),
    ("run=2026-11-21", "run={Year}-{Month}-{Day}"),
    ("2026-11-21_2026-11-22", "{Year}-{Month}-{Day}_{N}-{N}-{N}"),
    ("v1.2", "v1.2"),
    ("V1.2.3-7", "V1.2.3-{N}"),
    ("w1.2", "w1.{N}"),
    ("deadbeef", "{HEX}"),
    ("deadbee", "deadbee"),
    ("x_deadbeef00112233", "x_{HEX}"),
    ("en-us", "{LOC}"),
    ("site_pt_BR", "site_{LOC}"),
    ("en-xx", "en-xx"),
    ("stage2", "stage2"),
    ("٣", "٣"),
]


@every_row(("folder", "expected"), FOLDERS)
def test_what_a_folder_becomes(folder: str, expected: str) -> None:
    assert replaced((folder, "x"), has_file=False) == (expected, "x")


def test_numbers_within_words_are_replaced_in_names_of_files_alone() -> None:
    assert replaced(("data1", "data1b2b.csv"), has_file=True) == ("data1", "data{N}b2b.csv")


def test_what_stands_for_something_stays() -> None:
    once = replaced(("2026", "11", "21", "0f8fad5bd9cb469fa16570867728950e", "x_1_en-us.csv"), has_file=True)
    assert replaced(once, has_file=True) == once


def test_a_long_segment_is_replaced_as_a_short_one_is() -> None:
    assert replaced(("7-" * 200,), has_file=False) == ("{N}-" * 200,)


ONLY_BY = {
    CALENDAR: (("2026", "11", "21"), ("{N}", "{N}", "{N}")),
    "Guid": (("x0f8fad5bd9cb469fa16570867728950e",), ("x0f8fad5bd9cb469fa16570867728950e",)),
    "yyyy-mm-ddThh-MM-ss": (("20261121T050607",), ("{Year}{Month}{Day}T{Hour}0607",)),
    "yyyy-mm-ddThh": (("20261121T05",), ("20261121T05",)),
    "yyyy-mm-ddZ": (("20261121Z",), ("20261121Z",)),
    "yyyy-mm-dd-hhZ": (("2026112105Z",), ("2026112105Z",)),
    "yyyy-mm-dd": (("2026-11-21",), ("{N}-{N}-{N}",)),
    "NumberBetweenDelimiter": (("a-7-b",), ("a-7-b",)),
    "4ByteHex": (("deadbeef",), ("deadbeef",)),
    "NumberInFile": (("a7.csv",), ("a7.csv",)),
    "Localization": (("en-us",), ("en-us",)),
}
"""What a replacer alone replaces, and what becomes of it without; of whole numbers the next one does the same."""


@pytest.mark.parametrize("name", ONLY_BY)
def test_a_replacer_that_is_switched_off_replaces_nothing(name: str) -> None:
    path, left = ONLY_BY[name]
    is_file = name == "NumberInFile"
    assert replaced(path, has_file=is_file, switched_off=frozenset({name})) == left
    assert replaced(path, has_file=is_file) != left


def test_all_replacers_can_be_switched_off() -> None:
    assert {*ONLY_BY, "Number", SPARK_PATH} == {each.name for each in REPLACERS} | {SPARK_PATH, CALENDAR}
    everything = frozenset({*ONLY_BY, "Number", SPARK_PATH})
    assert resource_set(("7", "en-us"), is_spark_directory=True, switched_off=everything) == ("7", "en-us")


# ---- the account's own rules


TYPED = [
    ("string", ["a", "a b"], [""]),
    ("int", ["7", "0001"], ["", "7a", "٣"]),
    ("guid", ["0f8fad5bd9cb469fa16570867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E"], ["0f8fad5b"]),
    ("date", ["20261121", "261121", "2026-11-21", "26-11-21", "01-01-2020"], ["2026", "2026/11/21"]),
    ("time", ["0506", "050607", "05:06", "05:06:07"], ["05", "05-06"]),
    ("timestamp", ["202611210506", "20261121050607", "2026-11-21T05:06", "2026-11-21T05:06:07"], ["20261121"]),
    ("boolean", ["true", "FALSE"], ["yes"]),
    ("number", ["7", "7.5", ".5", "0001"], ["", "7.", "."]),
    ("hex", ["0aF", "7"], ["", "xyz"]),
    ("locale", ["en", "en-us", "zh-Hant-TW", "es_419"], ["e", "english"]),
]


@pytest.mark.parametrize(("name", "those", "others"), TYPED, ids=[row[0] for row in TYPED])
def test_what_a_type_stands_for(name: str, those: list[str], others: list[str]) -> None:
    (tokens,) = parsed(f"{{x:{name}}}")
    assert [text for text in those if matched(tokens, text) != (text,)] == []
    assert [text for text in others if matched(tokens, text) is not None] == []


def test_every_type_is_tried() -> None:
    assert {row[0] for row in TYPED} == set(TYPES)


def test_values_are_as_long_as_they_can_be() -> None:
    (tokens,) = parsed("{a:string}-{b:int}{c:string}.csv")
    assert matched(tokens, "x-1-22y.csv") == ("x-1", "-", "22", "y", ".csv")


def test_a_rule_wants_all_folders() -> None:
    rules = read_rules(config(rule("{a:string}/{b:int}.csv")), "r.json")
    assert [rules.match(f"{ROOT}/{path}") for path in ("7.csv", "a/b/7.csv", "a/x.csv")] == [None, None, None]
    found = rules.match(f"{ROOT}/a/7.csv")
    assert found is not None
    assert found.qualified_name == f"{ROOT}/{{a}}/{{b}}.csv"


def test_a_scope_ends_with_a_folder() -> None:
    rules = read_rules(config(rule("{a:string}"), url=f"{ROOT}/in"), "r.json")
    assert rules.match(f"{ROOT}/inner") is None
    assert rules.match(f"{ROOT}/in/x") is not None


def test_the_first_rule_of_the_narrowest_scope_holds() -> None:
    wide, narrow = (
        {"bindingUrl": ROOT, "rules": [rule("in/{wide:string}")]},
        {
            "bindingUrl": f"{ROOT}/in/",
            "rules": [rule("x{n:int}"), rule("{first:string}"), rule("{second:string}")],
        },
    )
    rules = read_rules(json.dumps({"pathPatternConfig": {"scopedRules": [wide, narrow]}}), "r.json")
    names = [found.qualified_name for path in ("in/x7", "in/y") if (found := rules.match(f"{ROOT}/{path}"))]
    assert names == [f"{ROOT}/in/x{{n}}", f"{ROOT}/in/{{first}}"]


def test_a_scope_without_a_rule_that_fits_leaves_it_to_wider_ones() -> None:
    scopes = [
        {"bindingUrl": f"{ROOT}/in", "rules": [rule("{n:int}")]},
        {"bindingUrl": ROOT, "rules": [rule("in/{w:string}")]},
    ]
    found = read_rules(json.dumps({"pathPatternConfig": {"scopedRules": scopes}}), "r.json").match(f"{ROOT}/in/x")
    assert found is not None
    assert found.qualified_name == f"{ROOT}/in/{{w}}"


def test_static_values_are_shown() -> None:
    rules = read_rules(config({**rule("{{m:int}}/{d:date}.csv"), "displayName": "Machine {{m}}"}), "r.json")
    found = rules.match(f"{ROOT}/89/20261121.csv")
    assert found is not None
    assert (found.qualified_name, found.display_name) == (f"{ROOT}/89/{{d}}.csv", "Machine 89")


def test_what_is_switched_off_and_what_is_not_understood() -> None:
    patterns = {
        "complexReplacers": [{"name": "SparkPath", "disabled": True}],
        "regexReplacers": [{"name": "Guid", "disabled": True}, {"name": "Number", "disabled": False}, {"name": "Ours"}],
        "rejectedPatterns": [{"name": "OfficeDocuments", "filterType": "Regex", "path": ".*"}],
    }
    rules = read_rules(json.dumps({"pathPatternConfig": patterns}), "r.json")
    assert rules.switched_off == {"SparkPath", "Guid"}
    assert rules.not_understood == (
        "pathPatternConfig.regexReplacers[2] (Ours)",
        "pathPatternConfig.rejectedPatterns[0]",
    )


def test_without_the_patterns_that_every_account_has() -> None:
    rules = read_rules('{"pathPatternConfig": {"enableDefaultPatterns": false}}', "r.json")
    assert rules.switched_off == {each.name for each in REPLACERS} | {SPARK_PATH, CALENDAR}


WRONG = [
    ("{", "r.json is not valid JSON"),
    ("[]", "the document must be an object"),
    ("{}", "the document has neither pathPatternConfig nor value"),
    ('{"value": {}}', "value must be a list"),
    ('{"value": [7]}', r"value\[0\] must be an object"),
    ('{"pathPatternConfig": 7}', "pathPatternConfig must be an object"),
    (
        '{"pathPatternConfig": {"scopedRules": [{}]}}',
        r"pathPatternConfig\.scopedRules\[0\]\.bindingUrl must be a non-empty string",
    ),
    (
        '{"pathPatternConfig": {"scopedRules": [{"bindingUrl": "raw"}]}}',
        r"scopedRules\[0\]\.bindingUrl must be the URL of a folder",
    ),
    ('{"pathPatternConfig": {"regexReplacers": [{}]}}', r"regexReplacers\[0\]\.name must be a non-empty string"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG)
def test_a_file_that_is_none_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason) as refused:
        read_rules(text, "r.json")
    assert "get the file again from Purview" in str(refused.value)
    assert "r.json" in str(refused.value)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a/{x", "has an unbalanced bracket"),
        ("a/x}", "has an unbalanced bracket"),
        ("a//x", "has a folder without a name"),
        ("{x}", r"has \{x\}, which must be \{name:type\} with one of the types string, int"),
        ("{x:text}", r"has \{x:text\}"),
        ("{:int}.csv", "has a replacer without a name, which is allowed only for ungrouped assets"),
    ],
)
def test_a_pattern_that_is_none_is_refused(pattern: str, reason: str) -> None:
    place = r"value\[0\]\.pathPatternConfig\.scopedRules\[0\]\.rules\[0\]\.qualifiedName"
    with pytest.raises(ConfigurationError, match=f"r.json, {place} {reason}"):
        read_rules(json.dumps({"value": [json.loads(config(rule(pattern)))]}), "r.json")


@every_row("unit", FILLERS[::36])
def test_no_name_makes_a_rule_slow(unit: str) -> None:
    pattern = "{a:string}-{b:string}-{c:string}-{d:number}{e:int}{f:hex}-{g:string}x"
    rules = read_rules(config(rule(pattern)), "r.json")

    def work(length: int) -> int:
        name = (unit * length)[:length]
        return steps(lambda: rules.match(f"{ROOT}/{name}"))

    little = work(
        MAX_NAME_LENGTH // TIMES
    )  # a type of text may end anywhere: at most the square, of a name that is short
    assert work(MAX_NAME_LENGTH) <= little * TIMES**2
    assert work(100 * MAX_NAME_LENGTH) <= little


def test_the_file_of_the_settings_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "sets.json"
    file.write_text(json.dumps({"pathPatternConfig": {"regexReplacers": [{"name": "Ours"}]}}), encoding="utf-8")
    dialect_of(settings(file), application=_application())
    assert f"{file}: pathPatternConfig.regexReplacers[0] (Ours) is not understood" in caplog.text
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"sets\.json, the document has neither"):
        dialect_of(settings(file), application=_application())


def test_no_rules_are_no_rules() -> None:
    assert read_rules('{"pathPatternConfig": {"scopedRules": null}}', "r.json") == ResourceSetRules()


def rule(pattern: str) -> dict[str, Any]:
    return {"name": "r", "isResourceSet": True, "qualifiedName": pattern}


def config(*rules: dict[str, Any], url: str = f"{ROOT}/") -> str:
    return json.dumps({"pathPatternConfig": {"scopedRules": [{"bindingUrl": url, "rules": list(rules)}]}})


def settings(file: Path) -> Settings:
    keys = {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.purview.resource.sets.file": str(file)}
    return Settings.read(keys, "test")


def _application() -> Any:
    from sac_kafka.hook.assembly import application_of
    from sac_kafka.settings.names import Names
    from tests.helpers.fake_driver import FakeDriver

    return application_of(FakeDriver().session(), Names())
