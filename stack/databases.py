"""Real database servers as local processes, one on 127.0.0.1: PostgreSQL and MariaDB as this machine has them.

    with DatabaseServer(POSTGRES, Path("build/postgres")) as server:
        spark.read.jdbc(server.url("shop"), "orders")

Nothing is installed here: `missing` says what would. The data is in the work folder, and goes with it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from stack import process
from stack.errors import StackError
from stack.files import tail
from stack.ports import LOOPBACK, free_port

START_TIMEOUT_SECONDS = 300
COMMAND_TIMEOUT_SECONDS = 300
USER = "clerk"
PASSWORD = "hunter2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A kind of server.

    Attributes:
        name: As its JDBC URLs call it.
        usual_port: The port of a URL that has none.
        package: What apt calls it.
        account: The user of this machine that it runs as, where that is root: it refuses to.
        programs: Patterns of the files that it needs, in the order in which the commands get them.
        prepare: The commands that make a data folder, each with what goes into it: of the programs, the folder, a folder for
            passwords.
        serve: The command that serves: of the programs, the folder, the port.
        setup: A command that fails until the server lets users in, and those that make user and database `shop`: of the programs,
            the folder, the port.
        stopping: The signal that ends it without waiting for clients.
    """

    name: str
    usual_port: int
    package: str
    account: str
    programs: tuple[str, ...]
    prepare: Callable[[Sequence[str], Path], list[list[str]]]
    serve: Callable[[Sequence[str], Path, int], list[str]]
    setup: Callable[[Sequence[str], Path, int], list[list[str]]]
    stopping: signal.Signals


POSTGRES = Database(
    name="postgresql",
    usual_port=5432,
    package="postgresql",
    account="postgres",
    programs=tuple(f"/usr/lib/postgresql/*/bin/{name}" for name in ("initdb", "postgres", "psql")),
    prepare=lambda at, data: [[at[0], "-D", str(data), "-U", "postgres", "--auth-host=scram-sha-256", "--no-sync"]],
    serve=lambda at, data, port: [
        *(at[1], "-D", str(data), "-p", str(port), "-k", str(data), "-h", LOOPBACK),
        *("-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "password_encryption=scram-sha-256"),
    ],
    setup=lambda at, data, port: [
        [at[2], "-q", "-h", str(data), "-p", str(port), "-U", "postgres", "-c", statement]
        for statement in (
            "SELECT 1",
            f"CREATE USER {USER} PASSWORD '{PASSWORD}'",
            f"CREATE DATABASE shop OWNER {USER}",
        )
    ],
    stopping=signal.SIGINT,
)
MARIADB = Database(
    name="mariadb",
    usual_port=3306,
    package="mariadb-server",
    account="mysql",
    programs=("/usr/bin/mariadb-install-db", "/usr/sbin/mariadbd", "/usr/bin/mariadb"),
    prepare=lambda at, data: [
        [at[0], "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"]
    ],
    serve=lambda at, data, port: [
        *(at[1], "--no-defaults", f"--datadir={data}", f"--port={port}", f"--bind-address={LOOPBACK}"),
        *(f"--socket={data}/socket", "--skip-log-bin", "--innodb-buffer-pool-size=16M", "--skip-name-resolve"),
    ],
    setup=lambda at, data, _: [
        [at[2], "--no-defaults", f"--socket={data}/socket", "-u", "root", "-e", statement]
        for statement in (
            "SELECT 1",
            "CREATE DATABASE shop",
            "CREATE DATABASE archive",
            f"CREATE USER {USER} IDENTIFIED BY '{PASSWORD}'",
            f"GRANT ALL ON *.* TO {USER}",
        )
    ],
    stopping=signal.SIGTERM,
)


def missing(of: Database) -> str | None:
    """Return what to do where this machine has not got a server; None where it has."""
    found = all(map(_found, of.programs))
    return None if found else f"no {of.name} on this machine: apt-get install -y --no-install-recommends {of.package}"


def _found(pattern: str) -> str | None:
    return max(map(str, Path("/").glob(pattern.lstrip("/"))), default=None)


class DatabaseServer:
    """One server: its port is known from the start. User `clerk`, password `hunter2`, database `shop`.

    Args:
        of: Which kind.
        work: The folder for its data and its log; a temporary one that goes with the server by default.
    """

    def __init__(self, of: Database, work: Path | None = None) -> None:
        self.of = of
        self.port = free_port()
        self._given = work
        self._work: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "shop") -> str:
        """Return the JDBC URL of a database, with user and password."""
        return f"jdbc:{self.of.name}://{LOOPBACK}:{self.port}/{database}?user={USER}&password={PASSWORD}"

    def start(self) -> DatabaseServer:
        """Start the server and return once user and database are there.

        Raises:
            StackError: This machine has none, or it does not start (with the end of its log).
        """
        if (fix := missing(self.of)) is not None:
            raise StackError(fix)
        at = [_found(pattern) or "" for pattern in self.of.programs]
        self._work = self._given or Path(tempfile.mkdtemp(prefix=f"{self.of.name}-"))
        data, log = self._work / "data", self._work / "server.log"
        data.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(self._work, self.of.account)
            shutil.chown(data, self.of.account)
        for command in self.of.prepare(at, data):
            self._run(command, log)
        self._process = process.start(self._as_account(self.of.serve(at, data, self.port)), log, data)
        try:
            self._wait(log)
            ready, *rest = self.of.setup(at, data, self.port)
            self._wait_until_ready(ready, log)
            for command in rest:
                self._run(command, log)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the server; a temporary folder goes with it."""
        if self._process is not None:
            self._process.send_signal(self.of.stopping)
            process.stop(self._process)
            self._process = None
        if self._given is None and self._work is not None:
            shutil.rmtree(self._work, ignore_errors=True)

    def __enter__(self) -> DatabaseServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _as_account(self, command: list[str]) -> list[str]:
        if os.geteuid() != 0:
            return command
        account = pwd.getpwnam(self.of.account)
        # Who becomes another user is no longer ended with its parent, unless it requests that again.
        setpriv = shutil.which("setpriv") or "setpriv"
        user = (f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups")
        return [setpriv, "--pdeathsig=KILL", *user, *command]

    def _run(self, command: list[str], log: Path) -> None:
        if not self._has_run(command, log):
            raise StackError(f"{self.of.name} cannot be prepared. The end of {log}:\n{tail(log)}")

    def _has_run(self, command: list[str], log: Path) -> bool:
        with log.open("ab") as output:
            done = subprocess.run(
                self._as_account(command),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=log.parent,
                timeout=COMMAND_TIMEOUT_SECONDS,
            )
        return done.returncode == 0

    def _wait_until_ready(self, command: list[str], log: Path) -> None:
        """Its port is open before a server lets anybody in: PostgreSQL says so, "the database system is starting up"."""
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self._has_run(command, log) and time.monotonic() < deadline:
            time.sleep(0.2)

    def _wait(self, log: Path) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline and self._process is not None and self._process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((LOOPBACK, self.port)) == 0:
                    return
            time.sleep(0.1)
        raise StackError(f"{self.of.name} does not come up. The end of {log}:\n{tail(log)}")
