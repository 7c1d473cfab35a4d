"""Lookup of the file of rules, and errors if it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.purview.mapping.loading import RulePaths, load_rules, rules_of

RULE = '[[rule]]\nmatch.host = "h"\ntype = "t"\nqualifiedName = "{0}"\n'
JSON = """{"olToPurviewMappings": [{"name": "a", "parserConditions": [{"op1": "prefix", "compare": "=", "op2": "s3"}],
 "qualifiedName": "q", "purviewDataType": "t", "purviewPrefix": "https"}]}"""


def _file(folder: Path, name: str = "m.toml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(RULE.format(folder.name), "utf-8")
    return file


def test_relative_file_is_found_next_to_the_configuration_then_in_the_working_directory(tmp_path: Path) -> None:
    here, conf, files = tmp_path / "here", tmp_path / "conf", tmp_path / "files"
    found = _file(files)

    def place() -> str:
        configuration = str(conf / "atlas-application.properties")
        spark_files = lambda _: str(found)  # noqa: E731
        paths = RulePaths(configuration_file=configuration, working_directory=str(here), spark_files=spark_files)
        return load_rules("m.toml", paths=paths).place

    assert place() == str(files / "m.toml")
    _file(here)
    assert place() == str(here / "m.toml")
    _file(conf)
    assert place() == str(conf / "m.toml")


def test_files_of_spark_may_be_a_list(tmp_path: Path) -> None:
    file = _file(tmp_path / "files")
    paths = RulePaths(working_directory=str(tmp_path), spark_files=[str(tmp_path / "x.jar"), str(file)])
    found = load_rules("m.toml", paths=paths)
    assert found.place == str(file)


def test_absolute_path_and_uri_are_used_unchanged(tmp_path: Path) -> None:
    file = _file(tmp_path / "a b")
    assert load_rules(str(file), paths=RulePaths(configuration_file="/elsewhere/x")).place == str(file)
    assert load_rules(file.as_uri()).place == str(file)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("hdfs://nn/m.toml", "only local paths, file:/… and dbfs:/… can be read; pass the file to the job (--files)"),
        ("gone.toml", "no such file in {conf}, {here}; put it there, or give the absolute path"),
        ("/gone/m.toml", "no such file in /gone"),
        ("latin.toml", "is not UTF-8 (byte 1)"),
        ("big.toml", "has more than 4,000,000 bytes"),
    ],
)
def test_unreadable_file_is_reported_with_a_fix(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "latin.toml").write_bytes(b"#\xe4")
    (tmp_path / "big.toml").write_bytes(b"#" * 4_000_001)
    with pytest.raises(ConfigurationError) as raised:
        load_rules(path, paths=RulePaths(configuration_file="/conf/x", working_directory=str(tmp_path)))
    assert (
        f"atlas.hook.spark.purview.mapping.file = {path if 'no such' in message or 'only' in message else tmp_path / path}: "
        in str(raised.value)
    )
    assert message.format(conf="/conf", here=tmp_path) in str(raised.value)


def test_invalid_rule_is_reported_with_file_line_and_the_command_for_the_others(tmp_path: Path) -> None:
    file = tmp_path / "m.toml"
    file.write_text('[[rule]]\nmatch.hots = "h"\ntype = "t"\nqualifiedName = ""\n', "utf-8")
    with pytest.raises(ConfigurationError) as raised:
        load_rules("m.toml", paths=RulePaths(working_directory=str(tmp_path)))
    assert str(raised.value).startswith(f"{file}, line 2: unknown field match.hots")
    assert str(raised.value).endswith("and 1 more, which sac-kafka map check shows")


def test_a_file_of_the_accelerator_is_read_as_it_is() -> None:
    (rule,) = rules_of(JSON, "m.json").rules
    assert rule.description == "a (m.json, mapping 1)"
    with pytest.raises(
        ConfigurationError, match=r"a .m.json, mapping 1.: purviewDataType = '' is not a valid type name"
    ):
        rules_of(JSON.replace('"t"', '""'), "m.json")
