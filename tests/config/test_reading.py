"""The configuration in force: file, Spark's overrides, where each key was set, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.config.finding import FILE_NAME, Places
from sac_kafka.config.reading import read_configuration
from sac_kafka.errors import ConfigurationError


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


def test_what_is_set_again_in_the_file_counts_only_where_spark_does_not_override(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("atlas.a=1\natlas.b=1\natlas.a=2\natlas.b=2\n")
    found = read_configuration(places(tmp_path, **{"atlas.b": "3"}), {})
    assert dict(found.firsts) == {"atlas.a": "1"}


def test_spark_alone_is_enough_and_the_log_says_where_no_file_was(tmp_path: Path) -> None:
    found = read_configuration(places(tmp_path, **{"atlas.client.type": "console"}), {})
    assert dict(found.values) == {"atlas.client.type": "console"}
    assert found.found is None
    assert found.source.startswith(
        "the Spark configuration (no atlas-application.properties was found in the working dir"
    )
    assert str(tmp_path) in found.source


def test_nothing_anywhere_is_one_error_that_names_the_places(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"looked at: the working directory \(.*; the class path") as caught:
        read_configuration(places(tmp_path), {})
    assert str(tmp_path) in str(caught.value)


def test_what_is_switched_off_by_spark_is_not_even_read(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("k=\\uzzzz")
    found = read_configuration(places(tmp_path, **{"atlas.spark.enabled": " False "}), {})
    assert dict(found.values) == {"atlas.spark.enabled": " False "}
    with pytest.raises(ConfigurationError, match="no Unicode escape"):
        read_configuration(places(tmp_path, **{"atlas.spark.enabled": "true"}), {})


def test_the_repr_shows_no_secret(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("atlas.kafka.sasl.jaas.config=hunter2\n")
    assert "hunter2" not in repr(read_configuration(places(tmp_path, **{"atlas.x.password": "hunter2"}), {}))


def test_what_may_not_be_read_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text("include=.")
    with pytest.raises(ConfigurationError, match=rf"{tmp_path} \(included by {file}\): cannot be read: Is a directory"):
        read_configuration(places(tmp_path), {})


def test_a_directory_of_the_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(ConfigurationError, match=r"no atlas-application\.properties was found"):
        read_configuration(places(tmp_path), {})
