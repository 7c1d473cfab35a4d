"""The effective configuration: file, Spark's overrides, the origin of each key, and the error if there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.finding import FILE_NAME, Places
from sac_kafka.settings.files.reading import read_configuration


def places(folder: Path, **conf: str) -> Places:
    return Places(working_directory=str(folder), spark_conf={f"spark.{key}": text for key, text in conf.items()})


def test_spark_overrides_the_file_and_each_key_has_its_origin(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text("atlas.a=1\natlas.b=${env:X}\n")
    found = read_configuration(places(tmp_path, **{"atlas.a": "2", "atlas.c": "3"}), {}, {"X": "y"})
    assert dict(found.values) == {"atlas.a": "2", "atlas.b": "y", "atlas.c": "3"}
    assert found.origins == {
        "atlas.a": "the Spark configuration, spark.atlas.a",
        "atlas.b": f"{file}, line 2",
        "atlas.c": "the Spark configuration, spark.atlas.c",
    }
    assert found.source == f"{file} (the working directory)"


def test_variables_are_replaced_in_spark_overrides_too(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("atlas.a=1\n")
    over = {
        "atlas.a": "${env:A}/${sys:b}",
        "atlas.b": "${atlas.a}",
        "atlas.c": "${env:NO}",
        "atlas.d": "$ConnectionString ${env:E}",
        "atlas.spark.enabled": "${env:ON}",
    }
    found = read_configuration(places(tmp_path, **over), {"b": "2"}, {"A": "1", "E": "${env:A}", "ON": "true"})
    assert dict(found.values) == {
        "atlas.a": "1/2",
        "atlas.b": "${atlas.a}",
        "atlas.c": "${env:NO}",
        "atlas.d": "$ConnectionString 1",
        "atlas.spark.enabled": "true",
    }
    assert read_configuration(places(tmp_path, **over), {"b": "2"}, {"ON": "false"}).found is None
    with pytest.raises(ConfigurationError, match=r"the Spark configuration: spark\.atlas\.a: .* refers to itself"):
        read_configuration(places(tmp_path, **over), {"b": "2"}, {"A": "${env:A}"})


def test_repeated_key_is_reported_unless_spark_overrides_it(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("atlas.a=1\natlas.b=1\natlas.a=2\natlas.b=2\n")
    found = read_configuration(places(tmp_path, **{"atlas.b": "3"}), {})
    assert found.repeated == {"atlas.a": ("1", "2")}


def test_spark_settings_alone_suffice_and_the_missing_file_is_noted(tmp_path: Path) -> None:
    found = read_configuration(places(tmp_path, **{"atlas.client.type": "console"}), {})
    assert dict(found.values) == {"atlas.client.type": "console"}
    assert found.found is None
    assert found.source == "the Spark configuration (no file)"
    assert found.absent == f"no {FILE_NAME} was found in the working directory {tmp_path}, the class path"


def test_missing_configuration_is_one_error_with_the_easiest_fixes_first(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(places(tmp_path), {})
    message = str(caught.value).replace(str(tmp_path), "/w")
    assert message == (
        f"no {FILE_NAME} was found: set spark.atlas.client.type=console or spark.atlas.kafka.bootstrap.servers=HOST:PORT in "
        "the Spark session, put the file into /w, or set ATLAS_CONF to its directory (searched the working directory /w, "
        "the class path)"
    )


def test_error_of_a_command_names_its_own_options(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(Places(working_directory="/w", is_driver=False), {})
    assert str(caught.value) == (
        f"no {FILE_NAME} in /w: specify it with --conf-dir DIR or --conf-file FILE, or pass settings with --conf "
        "atlas.kafka.bootstrap.servers=HOST:PORT; sac-kafka config --template prints a file to begin with"
    )


@pytest.mark.parametrize(
    ("content", "fix"),
    [
        (b"", "write KEY=VALUE lines"),
        (b"atlas:\n  kafka:\n    bootstrap.servers: h:1\n", "write KEY=VALUE lines"),
        (b"# only\n", "write KEY=VALUE lines"),
        ("atlas.client.type=console".encode("utf-16-le"), "save the file as UTF-8"),
    ],
)
def test_a_file_without_any_setting_is_one_error(tmp_path: Path, content: bytes, fix: str) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"no line sets an atlas\.… key; {fix}") as caught:
        read_configuration(places(tmp_path), {})
    assert str(caught.value).startswith(f"{tmp_path / FILE_NAME} (the working directory): ")
    assert read_configuration(places(tmp_path, **{"atlas.client.type": "console"}), {}).found is not None


def test_file_is_not_read_if_spark_disables_the_hook(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("k=\\uzzzz")
    found = read_configuration(places(tmp_path, **{"atlas.spark.enabled": " False "}), {})
    assert dict(found.values) == {"atlas.spark.enabled": " False "}
    with pytest.raises(ConfigurationError, match="invalid Unicode escape"):
        read_configuration(places(tmp_path, **{"atlas.spark.enabled": "true"}), {})


def test_file_without_permission_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text("include=.")
    with pytest.raises(ConfigurationError, match=rf"{tmp_path} \(included by {file}\): cannot be read: Is a directory"):
        read_configuration(places(tmp_path), {})


def test_directory_with_the_files_name_is_ignored(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(ConfigurationError, match=r"no atlas-application\.properties was found"):
        read_configuration(places(tmp_path), {})


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("# a start\n#atlas.client.type=console\n", "remove the # of the lines that you need"),
        ("bootstrap.servers=h:1\n", "bootstrap.servers: did you mean atlas.kafka.bootstrap.servers?"),
        ("kafka.bootstrap.servers=h:1\n", "kafka.bootstrap.servers: did you mean atlas.kafka.bootstrap.servers?"),
    ],
)
def test_file_without_settings_gets_the_most_specific_fix(tmp_path: Path, text: str, fix: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(places(tmp_path), {})
    assert str(caught.value).endswith(f"no line sets an atlas.… key; {fix}")


def test_source_of_a_commands_settings_names_the_options(tmp_path: Path) -> None:
    given = Places(working_directory=str(tmp_path), spark_conf={"spark.atlas.client.type": "console"}, is_driver=False)
    assert read_configuration(given, {}).source == "the options --conf (no file)"
