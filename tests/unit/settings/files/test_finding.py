"""Search path of atlas-application.properties and its order."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.finding import CLASS_PATH, FILE_NAME, Found, Places, find, overrides, searched_places


@pytest.fixture
def everywhere(tmp_path: Path) -> dict[str, Path]:
    """Put a file into each place, each in a directory of the place's name."""
    places = {}
    for name in ("property", "environment", "cwd", "sparkfiles", "dist", "files", "classpath"):
        (tmp_path / name).mkdir()
        places[name] = tmp_path / name / FILE_NAME
        places[name].write_text("k=v")
    return places


def all_places(files: dict[str, Path]) -> Places:
    return Places(
        system_property=str(files["property"].parent),
        environment=str(files["environment"].parent),
        working_directory=str(files["cwd"].parent),
        spark_files=lambda name: str(files["sparkfiles"].parent / name),
        spark_conf={
            "spark.yarn.dist.files": f"hdfs:/x/{FILE_NAME},file://{files['dist']}",
            "spark.files": f"/other/file,{files['files']}",
        },
        class_path=Found(str(files["classpath"]), CLASS_PATH),
    )


def places_without_named(places: Places) -> Places:
    return replace(places, system_property=None, environment=None)


ORDER = [
    ("property", "the system property atlas.conf", "system_property"),
    ("environment", "the environment variable ATLAS_CONF", "environment"),
    ("cwd", "the working directory", None),
    ("sparkfiles", "SparkFiles", None),
    ("dist", "spark.yarn.dist.files", None),
    ("files", "spark.files", None),
    ("classpath", "the class path", None),
]


def test_the_places_are_searched_in_order(everywhere: dict[str, Path]) -> None:
    named = {"system_property": None, "environment": None}
    fields = {
        "system_property": str(everywhere["property"].parent),
        "environment": str(everywhere["environment"].parent),
    }
    places = all_places(everywhere)
    seen = []
    for name, place, setting in ORDER[:-1]:
        current = Places(
            **{**fields, "working_directory": places.working_directory, "spark_files": places.spark_files},
            spark_conf=places.spark_conf,
            class_path=places.class_path,
        )
        assert find(current) == Found(str(everywhere[name]), place)
        seen.append(name)
        if setting:
            fields[setting] = named[setting]  # type: ignore[assignment]
        else:
            everywhere[name].unlink()
    assert len(seen) == len(ORDER) - 1
    assert find(places_without_named(places)) == Found(str(everywhere["classpath"]), "the class path")
    assert find(Places(working_directory=places.working_directory)) is None


def test_the_system_property_may_name_the_file(everywhere: dict[str, Path]) -> None:
    found = find(Places(system_property=str(everywhere["property"])))
    assert found == Found(str(everywhere["property"]), "the system property atlas.conf")


def test_a_relative_directory_is_one_of_the_working_directory(everywhere: dict[str, Path]) -> None:
    found = find(Places(system_property="./", working_directory=str(everywhere["cwd"].parent)))
    assert found is not None
    assert Path(found.path) == everywhere["cwd"]


@pytest.mark.parametrize("field", ["system_property", "environment"])
def test_a_named_place_without_the_file_is_an_error_although_others_have_it(
    everywhere: dict[str, Path], tmp_path: Path, field: str
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for value, message in (
        (empty, f"the directory has no file {FILE_NAME}"),
        (tmp_path / "no", "no such file or directory"),
    ):
        places = Places(working_directory=str(everywhere["cwd"].parent), **{field: str(value)})
        with pytest.raises(ConfigurationError, match=message) as caught:
            find(places)
        assert str(value) in str(caught.value)


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_blank_place_is_ignored(everywhere: dict[str, Path], blank: str | None) -> None:
    places = Places(system_property=blank, environment=blank, working_directory=str(everywhere["cwd"].parent))
    assert find(places) == Found(str(everywhere["cwd"]), "the working directory")


@pytest.mark.parametrize(
    ("uri", "is_found"),
    [
        ("{file}", True),
        ("file:{file}", True),
        ("file://{file}", True),
        ("local:{file}", True),
        ("file://{file}#" + FILE_NAME, True),
        ("file://{other}#" + FILE_NAME, True),
        ("file://{file}#renamed.properties", True),
        ("file://{other}", False),
        ("hdfs://nn{file}", False),
        ("s3a://bucket{file}", False),
        ("file://{file}.gone", False),
    ],
)
def test_a_listed_uri_is_found_by_its_name_or_alias(tmp_path: Path, uri: str, is_found: bool) -> None:
    directory = tmp_path / "a dir"
    directory.mkdir()
    file, other = directory / FILE_NAME, directory / "dev.properties"
    file.write_text("")
    other.write_text("")
    if uri.startswith("file://"):
        text = uri.format(file=str(file).replace(" ", "%20"), other=str(other).replace(" ", "%20"))
    else:
        text = uri.format(file=file, other=other)
    places = Places(working_directory=str(tmp_path), spark_conf={"spark.files": text})
    assert (find(places) is not None) is is_found


def test_an_alias_of_the_name_wins_over_a_file_of_the_name(everywhere: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "prod.properties"
    other.write_text("")
    places = Places(
        working_directory=str(tmp_path), spark_conf={"spark.files": f"{everywhere['files']},{other}#{FILE_NAME}"}
    )
    assert find(places) == Found(str(other), "spark.files")


def test_list_of_spark_files(everywhere: dict[str, Path], tmp_path: Path) -> None:
    places = Places(working_directory=str(tmp_path), spark_files=["/x/y", str(everywhere["sparkfiles"])])
    assert find(places) == Found(str(everywhere["sparkfiles"]), "SparkFiles")


def test_another_file_name_can_be_configured(tmp_path: Path) -> None:
    (tmp_path / "mine.properties").write_text("")
    places = Places(system_property=str(tmp_path), file_name="mine.properties")
    assert find(places) == Found(str(tmp_path / "mine.properties"), "the system property atlas.conf")


@pytest.mark.parametrize(
    ("value", "file"),
    [
        ("file:{dir}", True),
        ("file://{dir}", True),
        ("file://localhost{dir}/atlas-application.properties", True),
        ("FILE:{dir}", True),
        ("local:{dir}", True),
        (" {dir} ", True),
        ("file:sub", True),
        ("dbfs:/no/such/conf", "/dbfs/no/such/conf"),
        ("dbfs:conf", "/dbfs/conf"),
        ("file://host{dir}", None),
        ("hdfs://nn/conf", None),
        ("file://[bad/conf", None),
        ("s3a://bucket/conf", None),
    ],
)
@pytest.mark.parametrize("field", ["system_property", "environment", "option"])
def test_named_place_as_a_uri(tmp_path: Path, field: str, value: str, file: bool | str | None) -> None:
    directory = tmp_path / "sub"
    directory.mkdir()
    (directory / FILE_NAME).write_text("")
    places = Places(working_directory=str(tmp_path), **{field: value.format(dir=directory)})
    if file is True:
        found = find(places)
        assert found is not None
        assert Path(found.path) == directory / FILE_NAME
    else:
        message = "must be a local path" if file is None else f" {file}: no such file"
        with pytest.raises(ConfigurationError, match=message):
            find(places)


def test_name_with_a_hash_or_blank_is_no_uri(tmp_path: Path) -> None:
    directory = tmp_path / "conf #1?"
    directory.mkdir()
    (directory / FILE_NAME).write_text("")
    assert find(Places(system_property=str(directory))) is not None


@pytest.mark.parametrize("as_path", [True, False])
def test_atlas_properties_as_a_separate_file(everywhere: dict[str, Path], as_path: bool) -> None:
    directory = everywhere["cwd"].parent
    (directory / "prod.properties").write_text("")
    places = Places(
        system_property=str(everywhere["property"].parent),
        working_directory=str(directory),
        file_name=str(directory / "prod.properties") if as_path else "prod.properties",
    )
    assert find(places) == Found(str(directory / "prod.properties"), "the system property atlas.properties")


def test_atlas_properties_that_names_no_file_is_an_error_if_it_is_a_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"atlas\.properties = conf/x\.properties: the file .* does not exist"):
        find(Places(working_directory=str(tmp_path), file_name="conf/x.properties"))
    assert find(Places(working_directory=str(tmp_path), file_name="x.properties")) is None


def test_resources_of_a_class_loader_are_found_last() -> None:
    found = Found("jar:file:/x.jar!/atlas-application.properties", CLASS_PATH, b"k=v")
    assert find(Places(working_directory="/nowhere", class_path=found)) is found


def test_searched_places_are_named_briefly(tmp_path: Path) -> None:
    places = Places(
        working_directory=str(tmp_path), spark_conf={"spark.files": "/x/other"}, spark_files=lambda n: f"/s/{n}"
    )
    assert searched_places(places) == (
        f"the working directory {tmp_path}",
        "SparkFiles",
        "spark.files",
        "the class path",
    )
    assert searched_places(Places(working_directory="/w", is_driver=False)) == ("the working directory /w",)


def test_spark_conf_overrides_the_keys_of_the_file() -> None:
    conf = {"spark.atlas.spark.enabled": "false", "spark.atlas.kafka.acks": "1", "spark.app.name": "x", "atlas.a": "b"}
    assert overrides(conf) == {"atlas.spark.enabled": "false", "atlas.kafka.acks": "1"}


@pytest.mark.parametrize("is_strange", [True, False])
def test_a_file_of_another_user_in_the_working_directory_is_passed_over(
    is_strange: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / FILE_NAME
    file.touch()
    user = os.getuid()
    if is_strange and user == 0:
        os.chown(file, 12345, -1)
    elif is_strange:
        monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert (find(Places(working_directory=str(tmp_path))) is None) is is_strange
    assert ("belongs to another user" in caplog.text) is is_strange
