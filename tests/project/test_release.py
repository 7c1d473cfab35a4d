"""`make release-check` refuses a wheel with what does not belong there, and one that an index would refuse."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from dev.release import CONTENTS, ReleaseError, check_metadata, check_sdist, check_wheel

_METADATA = """Metadata-Version: 2.4
Name: sac-kafka
Version: 1.2.3
License-Expression: Apache-2.0
License-File: LICENSE

Text
"""


def _wheel(folder: Path, **files: str) -> Path:
    path = folder / "sac_kafka-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"sac_kafka/__init__.py": "", **files}.items():
            archive.writestr(name, text)
    return path


def test_a_wheel_of_the_package_is_listed(tmp_path: Path) -> None:
    (line,) = check_wheel(_wheel(tmp_path, **{"sac_kafka-1.2.3.dist-info/WHEEL": "", "sac_kafka_auto.py": "1"}))
    assert line.split()[:4] == ["2", "files", ".py", "1"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"tests/conftest.py": ""}, "tests/conftest.py does not belong there"),
        ({"sac_kafka/notes.docx": ""}, "notes.docx does not belong there"),
        ({"sac_kafka-1.2.3.dist-info/x/METADATA": ""}, "x/METADATA does not belong there"),
        ({"sac_kafka/x.css": " " * (CONTENTS["css"] + 1)}, "are more than"),
    ],
)
def test_a_wheel_with_something_else_is_refused(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    with pytest.raises(ReleaseError, match=problem):
        list(check_wheel(_wheel(tmp_path, **files)))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Version: 1.2.3", "Version: new", "'new' is invalid"),
        ("Apache-2.0", "MIT", "the licence is MIT"),
        ("\n\nText\n", "\n", "no description"),
    ],
)
def test_metadata_that_an_index_refuses_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    name = "sac_kafka-1.2.3.dist-info/METADATA"
    assert check_metadata(_wheel(tmp_path, **{name: _METADATA})) == "1.2.3"
    with pytest.raises(ReleaseError, match=problem):
        check_metadata(_wheel(tmp_path, **{name: _METADATA.replace(old, new)}))


def test_an_sdist_has_the_tests_and_nothing_built(tmp_path: Path) -> None:
    path = tmp_path / "sac_kafka-1.2.3.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("sac_kafka-1.2.3/build/x"), io.BytesIO())
    with pytest.raises(ReleaseError, match=r"missing \['LICENSE', .*built \['build/x'\]"):
        check_sdist(path)
