"""Run commands in a terminal: a pseudo-terminal of a given width, in a separate process."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ASKING_FOR_PLAIN = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLORTERM")
COMMAND = (sys.executable, "-m", "sac_kafka.tools.cli.main")


@dataclass(frozen=True, slots=True)
class Seen:
    """The text in the terminal, and standard error if that is no terminal."""

    status: int
    text: str
    complaint: str = ""

    @property
    def plain(self) -> str:
        """Return the text without colours and other control sequences."""
        return _STEERING.sub("", self.text)


def seen(
    *arguments: str,
    columns: int = 100,
    variables: Mapping[str, str] | None = None,
    command: tuple[str, ...] = COMMAND,
    is_stderr_too: bool = False,
    output: Path | None = None,
    stdin: int = subprocess.DEVNULL,
    watching: Callable[[str, int], None] = lambda _text, _pid: None,
) -> Seen:
    """Run `sac-kafka` in a terminal.

    Args:
        arguments: Of the command.
        columns: How wide the terminal is.
        variables: Of the environment, more than those that there are.
        command: What is run, in front of the arguments.
        is_stderr_too: Whether standard error is the same terminal; else it is a pipe.
        output: Where standard output goes, if not to the terminal.
        stdin: What standard input is.
        watching: Is called with all that has stood in the terminal so far, and the process' id, whenever there is more.
    """
    own, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in _ASKING_FOR_PLAIN}
    environment |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **(variables or {})}
    if "SAC_KAFKA_TEST_INSTALLED" in os.environ:
        del environment["PYTHONPATH"]
    stdout = its if output is None else output.open("wb")
    with subprocess.Popen(
        [*command, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=its if is_stderr_too else subprocess.PIPE,
        env=environment,
        cwd=ROOT,
        preexec_fn=_hear_ctrl_c,
    ) as process:
        os.close(its)
        if output is not None:
            stdout.close()
        text = _read(own, lambda so_far: watching(so_far, process.pid))
        complaint = process.stderr.read().decode() if process.stderr is not None else ""
    os.close(own)
    return Seen(process.returncode, text.replace("\r\n", "\n"), complaint)


def _hear_ctrl_c() -> None:
    """Restore SIGINT, which commands of tests in the background would inherit as ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read(terminal: int, watching: Callable[[str], None]) -> str:
    found = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the last writer has closed it
            break
        if not part:
            break
        found += part
        watching(found.decode("utf-8", "replace"))
    return found.decode("utf-8", "replace")
