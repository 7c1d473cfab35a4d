"""A real Kerberos realm as a local process: Apache Kerby's simple KDC on 127.0.0.1, with keytabs and ticket caches.

    with Kdc(Path("build/kdc"), keytabs=("kafka/localhost", "client"), tickets=("client",)) as kdc:
        kdc.krb5_conf      # for -Djava.security.krb5.conf
        kdc.keytab("client"), kdc.ticket_cache("client")

Used by the tests of GSSAPI. Everything it writes is in its work folder; it ends with the process that started it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from stack import process
from stack.compiling import compiled
from stack.errors import StackError
from stack.files import tail
from stack.jars import provide
from stack.java import find_java
from stack.listeners import Listener
from stack.ports import free_port
from stack.properties import login_module

JARS = "kdc-2.1.1"
REALM = "STACK.TEST"
LOGIN_MODULE = "com.sun.security.auth.module.Krb5LoginModule"
BROKER = "kafka/localhost"
START_TIMEOUT_SECONDS = 300
_POLL_SECONDS = 0.05
_JAVA_OPTIONS = ("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_SOURCE = Path(__file__).with_name("Kdc.java")
_COMPILED = Path(__file__).resolve().parents[1] / "build" / "kdc"


class Kdc:
    """A key distribution centre that knows what its arguments name; keys are random and new at each start.

    Args:
        work: The folder for keytabs, ticket caches, krb5.conf and the log.
        keytabs: Principals without their realm, each with a keytab.
        stale: Principals whose keytab has a key that is not theirs any more.
        tickets: Those of `keytabs` that are logged in: each has a ticket cache.
    """

    def __init__(
        self,
        work: Path,
        *,
        keytabs: Sequence[str] = (BROKER, "client"),
        stale: Sequence[str] = (),
        tickets: Sequence[str] = (),
    ) -> None:
        self.work = work.absolute()
        self.port = free_port()
        self._keytabs, self._stale, self._tickets = tuple(keytabs), tuple(stale), tuple(tickets)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def krb5_conf(self) -> Path:
        """The configuration that clients of this realm need."""
        return self.work / "client.conf"

    @property
    def log(self) -> Path:
        """What the process printed."""
        return self.work / "kdc.log"

    def keytab(self, principal: str) -> Path:
        """Return the keytab of a principal."""
        return self.work / f"{_file_name(principal)}.keytab"

    def ticket_cache(self, principal: str) -> Path:
        """Return the ticket cache of a principal."""
        return self.work / f"{_file_name(principal)}.ccache"

    def name(self, principal: str) -> str:
        """Return the principal with its realm."""
        return f"{principal}@{REALM}"

    def by_keytab(self, principal: str, **options: str) -> str:
        """Give a `sasl.jaas.config` that logs in by keytab."""
        return login_module(LOGIN_MODULE, {**self.keytab_options(principal), **options})

    def keytab_options(self, principal: str) -> dict[str, str]:
        """Give the options of the login module for a keytab."""
        name, file = self.name(principal), str(self.keytab(principal))
        return {"useKeyTab": "true", "storeKey": "true", "keyTab": file, "principal": name}

    def ticket_options(self, principal: str) -> dict[str, str]:
        """Give the options of the login module for a ticket cache."""
        return {"useTicketCache": "true", "doNotPrompt": "true", "ticketCache": str(self.ticket_cache(principal))}

    def listener(self) -> Listener:
        """Give a listener for GSSAPI; its broker needs `java_options` too."""
        return Listener(
            name="KERBEROS",
            protocol="SASL_PLAINTEXT",
            mechanisms=("GSSAPI",),
            jaas={"GSSAPI": self.by_keytab(BROKER)},
            properties={"sasl.kerberos.service.name": BROKER.partition("/")[0]},
        )

    @property
    def java_options(self) -> list[str]:
        """What a JVM needs to find this realm."""
        return [f"-Djava.security.krb5.conf={self.krb5_conf}"]

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> Kdc:
        """Start the KDC and return once everything is made.

        Raises:
            StackError: No Java, no compiler, no jars, or it does not come up (with the end of its log).
        """
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "server").mkdir(parents=True)
        self.krb5_conf.write_text(_CLIENT_CONF.format(realm=REALM, port=self.port))
        java, jars = find_java().path, provide(JARS).class_path
        classes = compiled("the KDC", [_SOURCE], _COMPILED, java=java, class_path=jars)
        command = [str(java), *_JAVA_OPTIONS, f"-Djava.security.krb5.conf={self.krb5_conf}"]
        command += [
            "-cp",
            f"{classes}{os.pathsep}{jars}",
            _SOURCE.stem,
            str(self.work / "server"),
            REALM,
            str(self.port),
        ]
        self._process = process.start([*command, *self._tasks()], self.log)
        try:
            self._wait_ready(timeout_seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the KDC; nothing happens if it does not run."""
        if self._process is not None:
            process.stop(self._process)
            self._process = None

    def __enter__(self) -> Kdc:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _tasks(self) -> Iterator[str]:
        for principal in self._keytabs:
            yield f"keytab:{principal}:{self.keytab(principal)}"
        for principal in self._stale:
            yield f"stale:{principal}:{self.keytab(principal)}"
        for principal in self._tickets:
            yield f"ticket:{principal}:{self.keytab(principal)}:{self.ticket_cache(principal)}"

    def _wait_ready(self, timeout_seconds: float) -> None:
        assert self._process is not None
        deadline = time.monotonic() + timeout_seconds
        while not (self.work / "server" / "ready").exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise StackError(f"the KDC did not come up. The end of {self.log}:\n{tail(self.log)}")
            time.sleep(_POLL_SECONDS)


def _file_name(principal: str) -> str:
    return re.sub(r"[^\w.-]", "-", principal)


_CLIENT_CONF = """\
[libdefaults]
  default_realm = {realm}
  udp_preference_limit = 1
  dns_lookup_kdc = false
  dns_lookup_realm = false
[realms]
  {realm} = {{
    kdc = localhost:{port}
  }}
"""
