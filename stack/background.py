"""The local stack in the background: one supervising process runs it, a lock marks it as running, a file has its state.

The supervisor (`python -m stack run`) holds the lock as long as it lives, so a stale file never counts and a process id
that was given to another program is never signalled. The servers end with the supervisor, however it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stack.errors import StackError
from stack.files import is_locked, locked, tail, write_private
from stack.local import LocalPorts, LocalStack

START_TIMEOUT_SECONDS = 900  # the first start fetches 380 MB
STOP_TIMEOUT_SECONDS = 60
WATCH_SECONDS = 0.5
SETTLE_SECONDS = 30
"""Time for which a reader may hold the lock, and a supervisor hold it without a state: at its start and its end."""
_POLL_SECONDS = 0.1
_REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a stack in its work folder."""

    work: Path

    @property
    def lock(self) -> Path:
        """Held while the stack runs."""
        return self.work / "stack.lock"

    @property
    def state(self) -> Path:
        """What runs; private, it holds passwords."""
        return self.work / "stack.json"

    @property
    def log(self) -> Path:
        """What the supervisor printed."""
        return self.work / "stack.log"


@dataclass(frozen=True, slots=True)
class State:
    """The supervisor's report; the rows are `LocalStack.description`, empty until it is ready."""

    pid: int
    since: float
    bootstrap: str
    rows: dict[str, str] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether Kafka and Atlas have come up."""
        return bool(self.rows)


def read_state(files: Files) -> State | None:
    """Return the state of the stack that runs in this work folder, None where none runs."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while is_locked(files.lock):
        try:
            return State(**json.loads(files.state.read_text()))
        except (OSError, ValueError, TypeError) as error:
            if not isinstance(error, FileNotFoundError) or time.monotonic() > deadline:
                raise StackError(
                    f"a stack runs in {files.work}, but {files.state} cannot be read ({error}): "
                    f"end the process that `fuser {files.lock}` names"
                ) from error
        time.sleep(_POLL_SECONDS)
    return None


def run(work: Path, ports: LocalPorts) -> None:
    """Run the stack in this process until it is interrupted.

    Raises:
        StackError: One runs in this work folder already, it does not come up, or a server ends by itself.
    """
    files = Files(work.absolute())
    _require_none(files)
    with locked(files.lock, SETTLE_SECONDS):
        files.state.unlink(missing_ok=True)
        stack = LocalStack(files.work, ports)
        state = State(os.getpid(), time.time(), stack.kafka.bootstrap("PLAINTEXT"))
        _write_state(files, state)
        try:
            stack.start()
            _write_state(files, State(state.pid, state.since, state.bootstrap, stack.description()))
            while True:
                stack.require_running()
                time.sleep(WATCH_SECONDS)
        finally:
            stack.stop()
            files.state.unlink(missing_ok=True)


def up(work: Path, ports: LocalPorts, timeout_seconds: float = START_TIMEOUT_SECONDS) -> State:
    """Start the stack in the background and return once it is ready; it outlives this process and its terminal.

    Raises:
        StackError: One runs in this work folder already, or it does not come up (with the end of its log).
    """
    files = Files(work.absolute())
    _require_none(files)
    files.work.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "stack", "run", "--work", str(files.work)]
    command += ["--plaintext-port", str(ports.plaintext), "--sasl-ssl-port", str(ports.sasl_ssl)]
    command += ["--atlas-port", str(ports.atlas)]
    with files.log.open("wb") as log:
        supervisor = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=_REPOSITORY
        )
    deadline = time.monotonic() + timeout_seconds
    try:
        while True:
            if supervisor.poll() is not None:
                raise StackError(f"the stack did not come up. The end of {files.log}:\n{tail(files.log)}")
            state = read_state(files) if files.state.exists() else None
            if state and state.pid == supervisor.pid and state.ready:
                supervisor.returncode = 0  # it is to outlive this process: no complaint that it was not waited for
                return state
            if time.monotonic() > deadline:
                raise StackError(f"the stack is not ready after {timeout_seconds:.0f} s; its log is {files.log}")
            time.sleep(_POLL_SECONDS)
    except BaseException:
        if supervisor.poll() is None:
            supervisor.terminate()
            supervisor.wait(STOP_TIMEOUT_SECONDS)
        raise


def down(work: Path, *, wipe: bool = False) -> str:
    """End the stack of a work folder, and optionally remove its data; return what was done, for a person.

    Raises:
        StackError: It does not end, even by force.
    """
    files = Files(work.absolute())
    done = _end(files)
    if wipe:
        for folder in (files.work / "kafka" / "data", files.work / "atlas"):
            shutil.rmtree(folder, ignore_errors=True)
        done += f"; the data in {files.work} is removed"
    return done


def _end(files: Files) -> str:
    state = read_state(files)
    if state is None:
        return f"no stack runs in {files.work}"
    for kind, deadline in ((signal.SIGTERM, STOP_TIMEOUT_SECONDS), (signal.SIGKILL, STOP_TIMEOUT_SECONDS)):
        with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
            os.kill(state.pid, kind)
        end = time.monotonic() + deadline
        while time.monotonic() < end:
            if not is_locked(files.lock):
                return f"Kafka and Atlas are stopped (process {state.pid}" + (
                    ", by force)" if kind == signal.SIGKILL else ")"
                )
            time.sleep(_POLL_SECONDS)
    raise StackError(f"process {state.pid} does not end")


def _require_none(files: Files) -> None:
    state = read_state(files)
    if state is not None:
        raise StackError(
            f"a stack runs in {files.work} already (process {state.pid}). "
            "See `python -m stack status`; end it with `python -m stack down`."
        )


def _write_state(files: Files, state: State) -> None:
    """Replace the file in one step: a reader finds the old state or the new one, never a part."""
    new = files.state.with_name(f"{files.state.name}.new")
    write_private(new, json.dumps(asdict(state)))
    new.replace(files.state)
