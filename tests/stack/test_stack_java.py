"""Java is found where users have it, and where there is none the one error says what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stack.errors import StackError
from stack.java import find_java, parse_version


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


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "path", "11.0.2").parent))
    with pytest.raises(StackError, match=r"(?s)path/java \(from PATH\) is version 11\..*openjdk-17-jdk-headless"):
        find_java()


def test_without_java_the_command_line_says_what_to_install(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PATH", "JAVA_HOME")}
    ports = ["--plaintext-port", "0", "--sasl-ssl-port", "0"]
    done = subprocess.run(
        [sys.executable, "-m", "stack", "kafka", "--work", str(tmp_path / "work"), *ports],
        env={**environment, "PATH": ""},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: No Java 17 or newer: JAVA_HOME is not set")
    for package in ("openjdk-17-jdk-headless", "java-17-openjdk-devel", "brew install openjdk@17"):
        assert package in done.stderr
    assert "Traceback" not in done.stderr
