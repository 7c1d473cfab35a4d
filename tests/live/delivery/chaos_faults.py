"""Faults of a job: the broker, the way to it, or the disk of the spool fails, and recovers."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stack.kafka import KafkaBroker, choose_ports
from stack.local import client_properties
from stack.proxy import Mode, Proxy
from stack.server_properties import ADVERTISED_HOST, LISTENER_NAMES

DISK = "512k"
"""The spool's disk where one may be mounted: a job's messages fit in easily."""


class SpoolDisk:
    """The folder of the spool, whose disk can be filled.

    It is a separate small file system if mounting is allowed. Otherwise the driver's process may no longer write
    to any file (RLIMIT_FSIZE), which hits nothing else: the rest is written by the JVM, another process.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "none", str(folder)]
        try:
            self.is_mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
        except FileNotFoundError:
            self.is_mounted = False
        self._limited: int | None = None

    def fill(self, driver: int | None) -> None:
        """Leave no room for the process of a driver; without a mounted disk it has to run already."""
        if self.is_mounted:
            self._write_ballast()
        elif driver is not None:
            self._limited = driver
            self._limit(driver, is_full=True)

    def empty(self) -> None:
        """Give the room back."""
        if self.is_mounted:
            self._ballast.unlink(missing_ok=True)
        elif self._limited is not None:
            self._limit(self._limited, is_full=False)
            self._limited = None

    def close(self) -> None:
        """Unmount; what was kept is gone then."""
        if self.is_mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True, capture_output=True)
            self.is_mounted = False

    @property
    def _ballast(self) -> Path:
        return self.folder / ".ballast"

    def _write_ballast(self) -> None:
        descriptor = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            for size in (65_536, 4_096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        os.write(descriptor, b"x" * size)
        finally:
            os.close(descriptor)

    def _limit(self, driver: int, *, is_full: bool) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            _, hard = resource.prlimit(driver, resource.RLIMIT_FSIZE)
            resource.prlimit(driver, resource.RLIMIT_FSIZE, (0 if is_full else hard, hard))


class World:
    """A broker, reached through a proxy only, and the disk of the spool; they stay from round to round."""

    def __init__(self, work: Path, topic: str) -> None:
        ports = choose_ports()
        self.topic = topic
        self.proxy = Proxy(ports.sasl_ssl).start()
        advertised = {"PLAINTEXT": ports.plaintext, "SASL_SSL": self.proxy.port}
        self.kafka = KafkaBroker(
            work / "kafka",
            ports=ports,
            properties={
                "advertised.listeners": ",".join(
                    f"{name}://{ADVERTISED_HOST}:{advertised[protocol]}" for protocol, name in LISTENER_NAMES.items()
                )
            },
        )
        self.disk = SpoolDisk(work / "spool")
        self.driver: int | None = None
        """The process of the job that runs."""

    def start(self) -> World:
        """Start the broker and make the topic."""
        self.kafka.start()
        self.kafka.create_topic(self.topic)
        return self

    def close(self) -> None:
        """End everything."""
        self.proxy.stop()
        self.kafka.kill()
        self.disk.close()

    def properties(self) -> dict[str, str]:
        """Return the settings of atlas-application.properties that lead through the proxy."""
        return {
            **client_properties(self.kafka),
            "atlas.kafka.bootstrap.servers": f"{ADVERTISED_HOST}:{self.proxy.port}",
            "atlas.notification.hook.topic.name": self.topic,
            "atlas.hook.spool.dir": str(self.disk.folder),
        }

    def pause(self) -> None:
        """Stop the broker's process where it is."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)
        self.kafka.wait_ready()

    def start_again(self) -> None:
        """Start the broker unless it runs."""
        if self.kafka.pid is None:
            self.kafka.start()

    def _signal(self, number: int) -> None:
        pid = self.kafka.pid
        assert pid is not None, "the broker does not run"
        os.kill(pid, number)


def _nothing(_: World) -> None:
    """Change nothing."""


@dataclass(frozen=True)
class Fault:
    """How it comes and how it goes."""

    strike: Callable[[World], None]
    heal: Callable[[World], None]
    loses: bool = False
    """Nothing can keep a message while it lasts: what is dropped then is only counted."""
    needs_disk: bool = False
    """It fills the spool's disk; without a mounted one it needs the driver's process."""


def _through_proxy(mode: Mode) -> Fault:
    return Fault(lambda world: world.proxy.set(mode), lambda world: world.proxy.set(Mode.PASS))


def _fill(world: World) -> None:
    world.disk.fill(world.driver)


def _fill_and_refuse(world: World) -> None:
    _fill(world)
    world.proxy.set(Mode.REFUSE)


def _empty_and_pass(world: World) -> None:
    world.disk.empty()
    world.proxy.set(Mode.PASS)


FAULTS: dict[str, Fault] = {
    "nothing": Fault(_nothing, _nothing),
    "broker stopped": Fault(lambda world: world.kafka.stop(), World.start_again),
    "broker killed": Fault(lambda world: world.kafka.kill(), World.start_again),
    "broker paused": Fault(World.pause, World.go_on),
    "broker restarted": Fault(lambda world: world.kafka.restart(), _nothing),
    **{f"proxy {mode.value}": _through_proxy(mode) for mode in (Mode.HOLE, Mode.SLOW, Mode.HALF, Mode.RESET, Mode.CUT)},
    "disk full": Fault(_fill, lambda world: world.disk.empty(), needs_disk=True),
    "disk full, no broker": Fault(_fill_and_refuse, _empty_and_pass, loses=True, needs_disk=True),
    "proxy refuse": _through_proxy(Mode.REFUSE),
}
