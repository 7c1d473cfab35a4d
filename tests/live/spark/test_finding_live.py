"""The places that only a driver knows: its system properties, SparkFiles, and its class path, also inside of a jar."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.session_settings import read_settings
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.settings.sinks import ClientType
from sac_kafka.spark.driver import JvmDriver

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

TEXT = "atlas.client.type=console\natlas.hook.spark.job.name=K\u00f6ln ${sys:user.name}\n"


@pytest.fixture
def context(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the driver's context, with an empty working directory and environment."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    _forget(spark)
    return spark.sparkContext


def _forget(spark: SparkSession) -> None:
    """Take out settings of the hook that an earlier test's session has left in this JVM's properties."""
    conf = spark.sparkContext._jsc.sc().conf()
    for key in [str(each._1()) for each in conf.getAll() if str(each._1()).startswith("spark.atlas.")]:
        conf.remove(key)
        spark.conf.unset(key)


@contextmanager
def system_properties(context: Any, **properties: str) -> Iterator[None]:
    system = context._jvm.java.lang.System
    named = {name.replace("_", "."): value for name, value in properties.items()}
    for name, value in named.items():
        system.setProperty(name, value)
    try:
        yield
    finally:
        for name in named:
            system.clearProperty(name)


@contextmanager
def class_path(context: Any, path: Path) -> Iterator[None]:
    """Let the thread's class loader see a directory or jar as well."""
    jvm = context._jvm
    thread = jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    urls = context._gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = jvm.java.io.File(str(path)).toURI().toURL()
    thread.setContextClassLoader(jvm.java.net.URLClassLoader(urls, before))
    try:
        yield
    finally:
        thread.setContextClassLoader(before)


def read(context: Any) -> tuple[Settings, str]:
    """Return the settings of a hook that is attached in this thread."""
    found = read_settings(JvmDriver(context), {})
    return found, found.source.text


def test_the_system_property_names_a_directory_and_gives_values(context: Any, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(TEXT.rstrip() + " ${sys:test.of.ours}\n")
    with system_properties(context, atlas_conf=f"file:{tmp_path}", test_of_ours="here"):
        settings, origin = read(context)
        user = context._jvm.java.lang.System.getProperty("user.name")
    assert settings.names.job_name == f"K\u00f6ln {user} here"
    assert origin == f"{tmp_path / FILE_NAME} (the system property atlas.conf)"


@pytest.mark.exhaustive
def test_atlas_properties_gives_another_name(context: Any, tmp_path: Path) -> None:
    (tmp_path / "prod.properties").write_text(TEXT)
    with system_properties(context, atlas_conf=str(tmp_path), atlas_properties="prod.properties"):
        _, origin = read(context)
    assert origin == f"{tmp_path / 'prod.properties'} (the system property atlas.conf)"


@pytest.mark.parametrize("kind", ["directory", "jar"])
def test_the_class_path_is_searched_including_jars(context: Any, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "on the path"
    if kind == "jar":
        place = place.with_suffix(".jar")
        with zipfile.ZipFile(place, "w") as jar:
            jar.writestr(FILE_NAME, TEXT.encode("iso-8859-1"))
    else:
        place.mkdir()
        (place / FILE_NAME).write_text(TEXT, "iso-8859-1")
    with class_path(context, place):
        settings, origin = read(context)
    assert settings.sink.client_type is ClientType.CONSOLE
    assert settings.names.job_name is not None
    assert settings.names.job_name.startswith("K\u00f6ln ")
    assert origin.endswith(" (the class path)")
    assert ("on%20the%20path.jar!/" if kind == "jar" else "/on the path/") in origin


@pytest.mark.exhaustive
def test_a_file_in_a_jar_that_is_wrong_is_one_error_with_its_line(context: Any, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.jar", "w") as jar:
        jar.writestr(FILE_NAME, "\natlas.client.type=kafak\n")
    with (
        class_path(context, tmp_path / "x.jar"),
        pytest.raises(ConfigurationError, match=r"x\.jar!/.*, line 2: atlas\.client"),
    ):
        read(context)


@pytest.mark.exhaustive
def test_missing_settings_name_the_searched_places(context: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"searched the working directory .*, SparkFiles, the class path"):
        read(context)


def test_files_of_the_context_are_found(context: Any, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(TEXT)
    context.addFile(str(tmp_path / FILE_NAME))
    _, origin = read(context)
    assert origin.endswith("(SparkFiles)")
