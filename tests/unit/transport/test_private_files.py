"""Files that only their owner may read or write, where others may put things in their place."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.recording import recorder
from sac_kafka.settings import Settings
from sac_kafka.settings.sinks import ClientType, Sinks
from sac_kafka.transport import private_files
from sac_kafka.transport.base import Failure, Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.sinks.file import FileTransport
from sac_kafka.transport.spool.locks import try_lock
from tests.helpers.live_runs import APPLICATION
from tests.helpers.waiting import LONG_SECONDS

needs_root = pytest.mark.skipif(
    not private_files.is_root(), reason="only root can give a file to another user; others may not"
)


def _link(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _link_to_a_file(path: Path) -> None:
    victim = path.with_name("victim")
    victim.write_text("mine")
    path.symlink_to(victim)


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _foreign(path: Path) -> None:
    path.write_text("12")
    os.chown(path, 12345, 12345)


def _too_large(path: Path) -> None:
    path.write_text("12345")


IN_PLACE = [
    pytest.param(_link, "it is a link", id="link to a device"),
    pytest.param(_link_to_a_file, "it is a link", id="link to a file"),
    pytest.param(_fifo, "it is no regular file", id="pipe"),
    pytest.param(Path.mkdir, "it is no regular file", id="directory"),
    pytest.param(_foreign, "it belongs to another user", id="of another user", marks=needs_root),
]


@pytest.mark.parametrize(
    ("put", "why"), [*IN_PLACE, pytest.param(_too_large, "it is longer than 4 bytes", id="too large")]
)
def test_reading(tmp_path: Path, put: Callable[[Path], None], why: str) -> None:
    put(tmp_path / "file")
    with pytest.raises(OSError, match=why):
        private_files.read(tmp_path / "file", 4)


@pytest.mark.parametrize(("put", "why"), IN_PLACE)
@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_APPEND])
def test_writing(tmp_path: Path, put: Callable[[Path], None], why: str, flags: int) -> None:
    if put is Path.mkdir:
        why = "Is a directory"
    put(tmp_path / "file")
    with pytest.raises(OSError, match=why):
        os.close(private_files.open_private(tmp_path / "file", flags))


def test_a_pipe_that_somebody_reads_is_no_regular_file_either(tmp_path: Path) -> None:
    _fifo(tmp_path / "file")
    reader = os.open(tmp_path / "file", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(OSError, match="it is no regular file"):
            private_files.open_private(tmp_path / "file", os.O_WRONLY)
    finally:
        os.close(reader)


@needs_root
def test_a_file_of_another_user_is_opened_only_if_allowed(tmp_path: Path) -> None:
    _foreign(tmp_path / "file")
    assert private_files.read(tmp_path / "file", 4, of_anyone=True) == b"12"


def test_a_created_file_is_new_and_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        os.close(private_files.create(tmp_path / "file"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        private_files.create(tmp_path / "file")


@pytest.mark.parametrize("put", [_link_to_a_file, _fifo, pytest.param(_foreign, marks=needs_root)])
def test_a_replaced_file_is_new(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / "file")
    private_files.replace(tmp_path / "file", b"ours")
    assert private_files.read(tmp_path / "file", 4) == b"ours"
    assert sorted(each.name for each in tmp_path.iterdir() if each.name != "victim") == ["file"]
    if put is _link_to_a_file:
        assert (tmp_path / "victim").read_text() == "mine"


def test_an_unwritable_draft_leaves_the_file_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private_files.replace(tmp_path / "file", b"before")

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        private_files.replace(tmp_path / "file", b"after")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert private_files.read(tmp_path / "file", 6) == b"before"


@pytest.mark.parametrize(("put", "why"), IN_PLACE[:3])
def test_a_lock_is_a_regular_file(tmp_path: Path, put: Callable[[Path], None], why: str) -> None:
    put(tmp_path / "lock")
    with pytest.raises(OSError, match=why):
        try_lock(tmp_path / "lock")


def appended(path: Path) -> Failure | None:
    """Return the outcome of a record that is sent to a file, within a minute."""
    outcomes: list[Failure | None] = []
    record = Record("t", None, (b"{}",))
    sending = threading.Thread(
        target=FileTransport(path).send, args=(record, lambda failure: outcomes.append(failure)), daemon=True
    )
    sending.start()
    sending.join(LONG_SECONDS)
    return outcomes[0]


def test_the_file_sink_does_not_wait_for_a_pipe_without_readers(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lineage")
    assert "cannot append to" in str(appended(tmp_path / "lineage"))


def test_the_file_sink_accepts_configured_links_and_devices(tmp_path: Path) -> None:
    (tmp_path / "lineage").symlink_to(tmp_path / "target")
    assert appended(tmp_path / "lineage") is None
    assert (tmp_path / "target").read_text() == "{}\n"
    assert appended(Path(os.devnull)) is None


@pytest.mark.parametrize(
    ("put", "why"), [each for each in IN_PLACE if each.id != "directory"], ids=lambda each: str(each)[:20]
)
def test_batches_are_recorded_into_an_own_file(tmp_path: Path, put: Callable[[Path], None], why: str) -> None:
    put(tmp_path / "batches")
    with pytest.raises(ConfigurationError, match=f"{why}; set it to a writable file"):
        recorder(str(tmp_path / "batches"), APPLICATION)


def test_a_recording_is_appended_to_an_earlier_one(tmp_path: Path) -> None:
    for _ in range(2):
        with recorder(str(tmp_path / "batches"), APPLICATION) as file:
            file.write("a line\n")
    assert stat.S_IMODE((tmp_path / "batches").stat().st_mode) == 0o600
    assert (tmp_path / "batches").read_text().splitlines()[1:] == ["a line", "a line"]


# ---- files that the user names, in directories that everybody may write to


@pytest.fixture
def common(tmp_path: Path) -> Path:
    """Return a directory that everybody may write to, with the sticky bit, as /tmp."""
    directory = tmp_path / "common"
    directory.mkdir()
    directory.chmod(0o1777)
    (tmp_path / "victim").write_text("mine")
    return directory


def _foreign_link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "victim")
    os.chown(path, 12345, 12345, follow_symlinks=False)


def _foreign_directory(path: Path) -> None:
    path.mkdir()
    os.chown(path, 12345, 12345)


def _link_by_a_foreign_directory(path: Path) -> None:
    _foreign_directory(path.with_name("theirs"))
    path.symlink_to(path.with_name("theirs") / "file")


def _hard_link(path: Path) -> None:
    path.hardlink_to(path.parent.parent / "victim")


PLANTED = [
    pytest.param(_foreign_link, "out", "is a link of another user", id="link"),
    pytest.param(_foreign, "out", "is a file of another user", id="file"),
    pytest.param(_foreign_directory, "out/file", "is a directory of another user", id="directory"),
    pytest.param(_foreign_link, "out/file", "is a link of another user", id="link as directory"),
    pytest.param(_link_by_a_foreign_directory, "out", "is a directory of another user", id="own link over a directory"),
]


@needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o777])
@pytest.mark.parametrize(("put", "named", "why"), PLANTED)
def test_what_another_user_put_into_a_common_directory_gets_no_message(
    common: Path, put: Callable[[Path], None], named: str, why: str, mode: int
) -> None:
    common.chmod(mode)
    put(common / "out")
    path = common / named
    outcomes: list[Failure | None] = []
    transport = FileTransport(path)
    transport.send(Record("t", None, (b"{}",)), outcomes.append)
    transport.close(0)
    assert [each is not None and each.reason.count(why) for each in outcomes] == [1]
    assert (common.parent / "victim").read_text() == "mine"
    with pytest.raises(ConfigurationError, match=f"{why} in a directory that everybody may write to.*name a file in"):
        make_transport(Settings(sink=Sinks(client_type=ClientType.FILE, file_path=str(path))))
    with pytest.raises(ConfigurationError, match=r"link|file|directory|another user"):
        recorder(str(path), APPLICATION)


@needs_root
def test_a_hard_link_in_a_common_directory_gets_no_message(common: Path) -> None:
    _hard_link(common / "out")
    with pytest.raises(OSError, match="a file of another user"):
        private_files.open_for_user(common / "out", os.O_WRONLY)


def _own_link(path: Path) -> None:
    path.symlink_to(path.parent.parent / "victim")


@pytest.mark.parametrize("put", [Path.touch, _own_link, lambda path: None], ids=["file", "link", "nothing"])
@pytest.mark.parametrize("mode", [0o1777, 0o700])
def test_own_files_and_links_get_messages_wherever_they_are(
    common: Path, put: Callable[[Path], None], mode: int
) -> None:
    common.chmod(mode)
    put(common / "out")
    outcomes: list[Failure | None] = []
    transport = make_transport(Settings(sink=Sinks(client_type=ClientType.FILE, file_path=str(common / "out"))))
    transport.send(Record("t", None, (b"{}",)), outcomes.append)
    transport.close(0)
    assert outcomes == [None]
    assert (common / "out").read_text().endswith("{}\n")


@needs_root
def test_links_and_files_of_others_in_a_private_directory_are_the_users_choice(common: Path) -> None:
    common.chmod(0o755)
    _foreign_link(common / "out")
    os.close(private_files.open_for_user(common / "out", os.O_WRONLY))
