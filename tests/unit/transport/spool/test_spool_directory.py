"""The directory of the spool: its place, its owner, and the names of its files."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.hook.sent_file import SentFile
from sac_kafka.settings import Settings
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.directory import (
    WriterId,
    default_directory,
    ephemeral_directory_warning,
    found_directory,
    read_file_name,
    user_name,
)
from sac_kafka.transport.spool.options import Options, options_of
from tests.helpers.processes import environment
from tests.helpers.spool_options import options_in
from tests.helpers.spooled import kept, spool_files
from tests.unit.transport.spool.fakes import Bench

NOBODY = 65534


def keep_one(directory: Path | None) -> Bench:
    bench = Bench(directory)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(1)
    bench.service()
    return bench


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "ada")
    return tmp_path


@pytest.fixture
def container(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory of a container of YARN; the application's directory is above it."""
    container = temporary / "disk2" / "application_1_2" / "container_1_2_01_000001"
    container.mkdir(parents=True)
    monkeypatch.chdir(container)
    monkeypatch.setenv("CONTAINER_ID", container.name)
    monkeypatch.setenv("LOCAL_DIRS", f"{temporary / 'disk1' / 'application_1_2'},{container.parent}")
    return container


@pytest.mark.parametrize("named", ["spool", "./spool", "../spool", "{container}/spool"])
def test_a_directory_that_yarn_removes_is_a_warning(named: str, container: Path) -> None:
    named = named.format(container=container)
    assert ephemeral_directory_warning(named) == (
        f"atlas.hook.spool.dir = {named}: YARN removes it with the application; name a directory that outlives it"
    )


def test_a_default_in_the_temporary_files_of_a_container_is_a_warning(
    container: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ephemeral_directory_warning(None) is None
    monkeypatch.setattr(tempfile, "tempdir", str(container / "tmp"))
    assert ephemeral_directory_warning(None) == (
        f"atlas.hook.spool.dir is not set: YARN removes the default, {container / 'tmp' / 'sac-kafka-ada'}, with the "
        "application; name a directory that outlives it"
    )


def test_other_directories_outlive_a_container(
    container: Path, monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    assert ephemeral_directory_warning(temporary / "application_1_2") is None
    monkeypatch.delenv("CONTAINER_ID")  # no container, whatever LOCAL_DIRS means there
    assert ephemeral_directory_warning("spool") is None


def test_the_default_directory_belongs_to_the_user(temporary: Path) -> None:
    assert default_directory() == temporary / "sac-kafka-ada"
    bench = keep_one(None)
    assert bench.spool.directory == default_directory()
    assert len(spool_files(default_directory())) == 1


def test_a_default_directory_that_is_open_to_others_is_closed(temporary: Path) -> None:
    default_directory().mkdir(mode=0o777)
    default_directory().chmod(0o777)
    assert keep_one(None).counts == {"spooled": 1}
    assert stat.S_IMODE(default_directory().stat().st_mode) == 0o700


def take_by_link(directory: Path) -> None:
    (directory.parent / "elsewhere").mkdir()
    directory.symlink_to(directory.parent / "elsewhere")


def take_by_owner(directory: Path) -> None:
    if not is_root():
        pytest.skip("only root can give a directory away")
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    os.chown(directory, NOBODY, NOBODY)


@pytest.mark.parametrize("take", [take_by_link, take_by_owner, Path.touch])
@pytest.mark.parametrize("named", [None, "taken"])
def test_a_private_directory_that_others_have_taken_is_replaced_and_found_again(
    named: str | None, take: Callable[[Path], None], temporary: Path, caplog: pytest.LogCaptureFixture
) -> None:
    directory = None if named is None else temporary / named
    taken = default_directory() if directory is None else temporary / f"{named}-ada"
    if directory is not None:
        directory.touch()
    take(taken)
    for number in (1, 2):
        bench = Bench(directory, is_first=True)
        bench.transport.failure_kind = FailureKind.TRANSIENT
        bench.send(number)
        bench.service()
        assert bench.counts == {"spooled": 1}
        bench.spool.close(0)
    made = bench.spool.directory
    assert re.fullmatch(f"{re.escape(taken.name)}-[a-z0-9_]{{8}}", made.name)
    assert (made, stat.S_IMODE(made.stat().st_mode)) == (found_directory(directory), 0o700)
    assert len(kept(made)) == 2
    assert not taken.is_dir() or list(taken.iterdir()) == []
    (warning,) = (each for each in caplog.messages if "undelivered messages go to" in each)
    assert warning.endswith(f"undelivered messages go to {made}")

    sent = SentFile(directory, "sink", max_age_ms=1)
    assert sent.path.parent == made
    assert options_in(directory, archive_max_files=1).archive_directory == made / "archive"

    second = Bench(directory)
    second.service(5)
    assert second.transport.numbers == [1, 2]


def test_a_configured_directory_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o755)
    assert keep_one(tmp_path / "shared").counts == {"spooled": 1}
    assert stat.S_IMODE((tmp_path / "shared").stat().st_mode) == 0o755


def test_an_unwritable_directory_is_replaced_and_found_again(tmp_path: Path) -> None:
    (tmp_path / "spool").write_text("a file")
    first = keep_one(tmp_path / "spool")
    first.spool.close(0)
    instead = tmp_path / f"spool-{user_name()}"
    assert (first.spool.directory, len(kept(instead))) == (instead, 1)
    assert stat.S_IMODE(instead.stat().st_mode) == 0o700
    second = Bench(tmp_path / "spool")
    second.service(2)
    assert second.transport.numbers == [1]


@pytest.mark.parametrize(("name", "file"), [("../x", "_x"), ("a/b c", "a_b_c"), ("", "unknown"), ("a-1-b", "a-1-b")])
def test_an_application_id_is_made_a_file_name(name: str, file: str) -> None:
    writer = WriterId.new(name, "0123abcd")
    assert writer.application == file
    assert read_file_name(writer.file_name(7)) == (writer, 7)
    assert WriterId.read(writer.name) == writer


def test_writers_sort_by_age() -> None:
    writers = [WriterId.new("app", "0123abcd") for _ in range(50)]
    assert sorted(writers, key=lambda each: (each.started_us, each.salt))[0].started_us == writers[0].started_us
    assert len({each.name for each in writers}) == 50


@pytest.mark.slow
def test_fastavro_is_imported_when_the_first_message_is_kept(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.unit.transport.spool.fakes import Bench, FailureKind\n"
        "bench = Bench(Path(sys.argv[1])); bench.send(1); bench.service(); print('fastavro' in sys.modules)\n"
        "bench.transport.failure_kind = FailureKind.TRANSIENT; bench.send(2); bench.service(); print('fastavro' in sys.modules)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"]


def test_rejected_messages_make_room_first(tmp_path: Path) -> None:
    refused = Bench(tmp_path, max_bytes=200_000)
    refused.transport.refuses = lambda record: True
    refused.send(1, values=(b"x" * 150_000,))
    refused.service()
    refused.spool.close(0)
    bench = Bench(tmp_path, max_bytes=200_000)
    bench.transport.failure_kind = FailureKind.TRANSIENT
    bench.send(2, values=(b"x" * 100_000,))
    bench.service()
    assert bench.counts == {"dropped": 1, "spooled": 1}
    assert spool_files(tmp_path / "rejected") == []
    other = Bench(tmp_path, max_bytes=200_000, destination="ffffffff")
    other.transport.failure_kind = FailureKind.TRANSIENT
    other.send(3, values=(b"x" * 100_000,))
    other.service()
    assert other.counts == {"dropped": 1}  # a living writer's files are not touched
    bench.spool.close(0)
    other.send(4, values=(b"x" * 100_000,))
    assert other.counts == {"dropped": 2, "spooled": 1}


def test_a_directory_without_permissions_does_not_break_the_spool(tmp_path: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root may write everywhere")
    (tmp_path / "spool").mkdir(mode=0o000)
    (tmp_path / f"spool-{user_name()}").mkdir(mode=0o000)
    assert keep_one(tmp_path / "spool").counts == {"dropped": 1}


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({}, {}, True),
        ({"atlas.kafka.bootstrap.servers": "a:1, B:2"}, {"atlas.kafka.bootstrap.servers": "b:2,a:1"}, True),
        ({"atlas.kafka.bootstrap.servers": "a:1"}, {"atlas.kafka.bootstrap.servers": "a:2"}, False),
        ({}, {"atlas.kafka.security.protocol": "SASL_SSL", "atlas.kafka.sasl.jaas.config": "x"}, True),
        ({}, {"atlas.notification.hook.topic.name": "OTHER"}, False),
        ({}, {"atlas.client.type": "console"}, False),
        ({"atlas.client.type": "file", "atlas.client.file.path": "/a"}, {"atlas.client.file.path": "/b"}, False),
    ],
)
def test_destinations(one: dict[str, str], other: dict[str, str], is_same: bool) -> None:
    first, second = (options_of(Settings.read({**one, **more}, "test")) for more in ({}, other))
    assert (first.destination == second.destination) is is_same
    assert len(first.destination) == 8


def test_records_in_flight_fit_the_queue_of_the_transport() -> None:
    def window(**kafka: str) -> int:
        return options_of(
            Settings.read({f"atlas.kafka.{key}": text for key, text in kafka.items()}, "test")
        ).window_bytes

    assert window() == 8 * 1024 * 1024
    assert window(**{"buffer.memory": "1000000"}) == 500_000
    assert window(**{"buffer.memory": "999999999"}) == 8 * 1024 * 1024


def test_the_archive_exists_only_if_configured(tmp_path: Path) -> None:
    def options(**more: str) -> Options:
        return options_of(Settings.read({f"atlas.hook.spool.{key}": text for key, text in more.items()}, "test"))

    assert options().archive_directory is None
    assert options(**{"archive.dir": "/a"}).archive_directory == Path("/a")
    assert options(**{"archive.dir": "/a"}).archive_max_files == 100
    assert options(dir="/d", **{"archive.max.files": "3"}).archive_directory == Path("/d/archive")
    assert options(**{"archive.max.files": "3"}).archive_max_files == 3
