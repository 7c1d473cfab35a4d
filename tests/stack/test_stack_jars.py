"""Pinned jars: the list is read strictly, only the pinned bytes get into the cache, and errors say what to do."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stack import jars, maven
from stack.errors import FetchError, StackError
from stack.jar_list import Jar, parse_list

SHA = "a" * 64


def made_jar(name: str, content: bytes) -> Jar:
    return Jar("org.example", name, "1.0", hashlib.sha256(content).hexdigest(), len(content))


CONTENTS = {"one": b"first jar", "two": b"second jar"}
JARS = tuple(made_jar(name, content) for name, content in CONTENTS.items())


def deliver(wanted: Sequence[Jar], folder: Path) -> None:
    for jar in wanted:
        (folder / jar.file_name).write_bytes(CONTENTS[jar.artifact])


def deliver_other_bytes(wanted: Sequence[Jar], folder: Path) -> None:
    for jar in wanted:
        (folder / jar.file_name).write_bytes(b"x" * jar.size)


def refuse(wanted: Sequence[Jar], folder: Path) -> None:
    raise FetchError("not today")


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A repository of Maven's layout on loopback: its address and its folder."""
    root = tmp_path / "repository"
    root.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", root
    server.shutdown()
    server.server_close()
    thread.join()


def publish(root: Path, jar: Jar, content: bytes) -> None:
    path = root / jar.repository_path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_the_list_of_kafka_is_whole() -> None:
    found = jars.read_list(jars.KAFKA)
    assert len(found) == 34
    assert "kafka_2.13-4.3.1.jar" in {jar.file_name for jar in found}


def test_a_list_has_comments_and_blank_lines() -> None:
    text = f"# comment\n\n org.a:b-c:1.0 {SHA} 12 \n"
    assert parse_list(text, "x.txt") == (Jar("org.a", "b-c", "1.0", SHA, 12),)


@pytest.mark.parametrize(
    "row",
    [
        "org.a:b",
        f"org.a:b:1 {SHA}",
        "org.a:b:1 abc 12",
        f"org.a:b:1 {SHA} 0",
        f"org.a:../b:1 {SHA} 1",
        f"a:b:1:2 {SHA} 1",
    ],
)
def test_a_wrong_line_is_named(row: str) -> None:
    with pytest.raises(StackError, match=r"x\.txt, line 2"):
        parse_list(f"# comment\n{row}\n", "x.txt")


def test_a_jar_listed_twice_and_an_empty_list_are_refused() -> None:
    with pytest.raises(StackError, match=r"line 2: b-1\.jar is listed twice"):
        parse_list(f"a:b:1 {SHA} 1\nc:b:1 {SHA} 1\n", "x.txt")
    with pytest.raises(StackError, match="lists no jar"):
        parse_list("# nothing\n", "x.txt")


def test_jars_come_over_http_from_the_given_address_once(
    tmp_path: Path, repository: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, root = repository
    monkeypatch.setenv("MAVEN_REPOSITORY_URL", address)
    for jar in JARS:
        publish(root, jar, CONTENTS[jar.artifact])
    assert jars.fetch(JARS, tmp_path / "cache" / "x", maven.WAYS).way == "http"
    got = jars.fetch(JARS, tmp_path / "cache" / "x", {})
    assert got.way == "present"
    assert (got.folder / "one-1.0.jar").read_bytes() == CONTENTS["one"]


def test_other_bytes_are_refused(tmp_path: Path, repository: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    address, root = repository
    monkeypatch.setenv("MAVEN_REPOSITORY_URL", address)
    publish(root, JARS[0], b"FIRST JAR")  # as long, but other bytes
    with pytest.raises(StackError, match=r"http: refused: one-1\.0\.jar does not have the pinned sha256"):
        jars.fetch(JARS[:1], tmp_path / "x", {"http": maven.by_http})
    publish(root, JARS[0], b"first jar and more")
    with pytest.raises(StackError, match=r"has 10 bytes, not 9"):
        jars.fetch(JARS[:1], tmp_path / "x", {"http": maven.by_http})
    assert list((tmp_path / "x").iterdir()) == []


def test_the_next_way_is_tried(tmp_path: Path) -> None:
    ways = {"a": refuse, "b": deliver_other_bytes, "c": deliver}
    assert jars.fetch(JARS, tmp_path / "x", ways).way == "c"


def test_a_damaged_jar_is_fetched_again_and_a_stray_one_is_not_loaded(tmp_path: Path) -> None:
    deliver(JARS, tmp_path)
    (tmp_path / "two-1.0.jar").write_bytes(b"damaged")
    (tmp_path / "stray.jar").write_bytes(b"stray")
    got = jars.fetch(JARS, tmp_path, {"a": deliver})
    assert (tmp_path / "two-1.0.jar").read_bytes() == CONTENTS["two"]
    assert got.class_path == f"{tmp_path / 'one-1.0.jar'}:{tmp_path / 'two-1.0.jar'}"


def test_the_error_names_each_way_and_the_cure(
    tmp_path: Path, repository: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, without_java: Path
) -> None:
    monkeypatch.setenv("MAVEN_REPOSITORY_URL", repository[0])
    with pytest.raises(StackError) as caught:
        jars.fetch(JARS, tmp_path / "x", maven.WAYS)
    message = str(caught.value)
    for part in (
        "http: http://127.0.0.1",
        "HTTP 404",
        "mvn: mvn is not on the PATH",
        "ivy: No Java 17",
        "SAC_KAFKA_STACK_JARS",
    ):
        assert part in message


def test_two_at_once_fetch_once(tmp_path: Path) -> None:
    calls = []
    both = threading.Barrier(2, timeout=60)

    def count(wanted: Sequence[Jar], folder: Path) -> None:
        calls.append(len(wanted))
        deliver(wanted, folder)

    def fetch() -> None:
        both.wait()
        jars.fetch(JARS, tmp_path / "x", {"count": count})

    threads = [threading.Thread(target=fetch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert calls == [2]


def test_a_given_folder_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "read_list", lambda _name: JARS)
    monkeypatch.setenv(jars.GIVEN_FOLDER, str(tmp_path))
    with pytest.raises(StackError, match=r"(?s)does not hold the 2 pinned jars:.*one-1\.0\.jar is missing"):
        jars.provide(ways={"a": deliver})
    deliver(JARS, tmp_path)
    assert jars.provide(ways={}).folder == tmp_path


def test_the_cache_follows_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert jars.cache_folder("x") == tmp_path / "sac-kafka" / "x"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert jars.cache_folder("x") == tmp_path / ".cache" / "sac-kafka" / "x"


@pytest.mark.parametrize(("covers", "used"), [("central", True), ("*", True), ("*,!central", False), ("other", False)])
def test_a_mirror_in_mavens_settings_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, covers: str, used: bool
) -> None:
    monkeypatch.delenv("MAVEN_REPOSITORY_URL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        "<settings xmlns='urn:any'><mirrors><mirror><id>m</id>"
        f"<mirrorOf>{covers}</mirrorOf><url> http://mirror.test/maven/ </url></mirror></mirrors></settings>"
    )
    if used:
        assert maven.repository_address() == "http://mirror.test/maven"
    else:
        with pytest.raises(FetchError, match="no address"):
            maven.repository_address()


def test_the_pom_names_every_jar_and_nothing_transitive() -> None:
    dependencies = ElementTree.fromstring(maven.flat_pom(JARS)).findall(".//dependency")
    assert [found.findtext("artifactId") for found in dependencies] == ["one", "two"]
    assert all(found.findtext("exclusions/exclusion/artifactId") == "*" for found in dependencies)
