"""A real Apache Kafka broker as a local process: one KRaft node on 127.0.0.1 with a PLAINTEXT and a SASL_SSL listener.

    with KafkaBroker(Path("build/kafka")) as kafka:
        kafka.create_topic("ATLAS_HOOK")
        Producer({"bootstrap.servers": kafka.bootstrap("PLAINTEXT")})

Used by the tests, the demo and `python -m stack kafka`. Everything it writes is in its work folder; it ends with the
process that started it.
"""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, cast

from stack import process, topics
from stack.certificates import CertificateName, Certificates, make_certificates
from stack.errors import StackError
from stack.files import tail, write_private
from stack.jars import provide
from stack.java import find_java
from stack.listeners import Admission, Listener, TokenIssuer, java_options, scram_users, with_listeners
from stack.ports import LOOPBACK, free_port, require_free
from stack.properties import java_properties
from stack.server_properties import ADVERTISED_HOST, CLUSTER_ID, Layout, Ports, Protocol, server_properties

CONNECTION_STRING_USER = "$ConnectionString"
START_TIMEOUT_SECONDS = 300
FORMAT_TIMEOUT_SECONDS = 300
# Without an earlier session of its own a node need not lose this one soon: one that pauses for a moment loses its topics.
_FIRST_SESSION = {"broker.session.timeout.ms": "60000"}
_JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_LOG_OPTIONS = tuple(
    f"-Dorg.slf4j.simpleLogger.{option}"
    for option in ("defaultLogLevel=warn", "showDateTime=true", "dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS")
)


class Credentials(NamedTuple):
    """A user of the SASL_SSL listener."""

    username: str
    password: str


def generated_passwords() -> dict[str, str]:
    """Return the broker's users with fresh passwords; the first has the form of an Event Hubs connection string."""
    key = f"{secrets.token_urlsafe(32)}="
    return {
        CONNECTION_STRING_USER: f"Endpoint=sb://localhost/;SharedAccessKeyName=local;SharedAccessKey={key}",
        "alice": secrets.token_urlsafe(16),
    }


def choose_ports(plaintext: int = 0, sasl_ssl: int = 0) -> Ports:
    """Return the given ports, with free ones in the place of zeros."""
    plaintext = plaintext or free_port(frozenset({sasl_ssl}))
    sasl_ssl = sasl_ssl or free_port(frozenset({plaintext}))
    return Ports(plaintext, sasl_ssl, free_port(frozenset({plaintext, sasl_ssl})))


def _further_ports(ports: Ports, listeners: Sequence[Listener]) -> dict[str, int]:
    taken = {ports.plaintext, ports.sasl_ssl, ports.controller}
    chosen: dict[str, int] = {}
    for listener in listeners:
        chosen[listener.name] = free_port(frozenset(taken))
        taken.add(chosen[listener.name])
    return chosen


class KafkaBroker:
    """One broker: its ports and passwords are known from the start, its data stays in the work folder.

    Args:
        work: The folder for data, certificates, configuration and logs.
        ports: The ports to listen on; free ones by default.
        passwords: User to password on the SASL_SSL listener; generated for `$ConnectionString` and `alice` by default.
        properties: Settings of the broker that replace or add to the usual ones.
        listeners: Further listeners, each on a free port; `bootstrap` knows them by their names.
        tokens: Whose tokens listeners with OAUTHBEARER take; without it they do not offer it.
        refused: Users that may log in and then do nothing. Given any, all others may do everything by name.
        java_options: Further options of the broker's JVM.
    """

    certificate: CertificateName = "broker"
    """The certificate that the SASL_SSL listener shows; another one counts from the next start."""

    def __init__(
        self,
        work: Path,
        *,
        ports: Ports | None = None,
        passwords: Mapping[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
        listeners: Sequence[Listener] = (),
        tokens: TokenIssuer | None = None,
        refused: Sequence[str] = (),
        java_options: Sequence[str] = (),
    ) -> None:
        self.work = work.absolute()
        self.ports = ports or choose_ports()
        self.listeners = tuple(listeners)
        self.listener_ports = _further_ports(self.ports, self.listeners)
        self.passwords = dict(passwords or generated_passwords())
        self.properties = dict(properties or {})
        self.certificates = Certificates(self.work / "certificates")
        self.tokens = tokens
        self.refused = tuple(refused)
        self.java_options = tuple(java_options)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def ca_file(self) -> Path:
        """The certificate that a client of the SASL_SSL listener has to trust."""
        return self.certificates.ca

    @property
    def admission(self) -> Admission:
        """Who may come in at the further listeners."""
        return Admission(
            passwords=self.passwords, ca=str(self.certificates.ca), tokens=self.tokens, refused=self.refused
        )

    @property
    def credentials(self) -> Credentials:
        """The first user of the SASL_SSL listener: `$ConnectionString` unless others were given."""
        return Credentials(*next(iter(self.passwords.items())))

    @property
    def log(self) -> Path:
        """The broker's own log."""
        return self.work / "logs" / "server.log"

    @property
    def pid(self) -> int | None:
        """The running broker's process, None when it does not run."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def bootstrap(self, listener: Protocol | str = "PLAINTEXT") -> str:
        """Return the address for `bootstrap.servers`: of PLAINTEXT, SASL_SSL, or a further listener's name."""
        port = self.listener_ports.get(listener)
        return f"{ADVERTISED_HOST}:{port or self.ports.of(cast(Protocol, listener))}"

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> KafkaBroker:
        """Start the broker and return once it answers; data of an earlier run in the work folder is kept.

        Raises:
            StackError: No Java, no jars, a port in use, or the broker does not come up (with the end of its log).
        """
        if self.pid is not None:
            raise StackError(f"this broker runs already (process {self.pid})")
        wanted = {
            "PLAINTEXT": self.ports.plaintext,
            "SASL_SSL": self.ports.sasl_ssl,
            "controller": self.ports.controller,
            **self.listener_ports,
        }
        require_free(wanted, "Stop what listens there (perhaps another Kafka), or choose other ports.")
        make_certificates(self.certificates.folder)
        self._write_settings()
        self._format()
        self._process = process.start(self._java("256m", "kafka.Kafka", str(self._settings_file)), self.log)
        try:
            self.wait_ready(timeout_seconds)
        except BaseException:
            self.kill()
            raise
        return self

    def wait_ready(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Return once the broker answers a client."""
        try:
            topics.wait_until_answers(self.bootstrap(), timeout_seconds, self.require_running)
        except StackError as error:
            raise StackError(f"{error}\nThe end of {self.log}:\n{tail(self.log)}") from error

    def require_running(self) -> None:
        """Raise if the broker has ended."""
        code = self._process.poll() if self._process else None
        if self._process is None or code is not None:
            raise StackError("Kafka is not started" if code is None else f"Kafka has ended with exit code {code}")

    def stop(self) -> None:
        """End the broker in order; nothing happens if it does not run."""
        if self._process is not None:
            process.stop(self._process)
            self._process = None

    def kill(self) -> None:
        """End the broker as a crash would (SIGKILL)."""
        if self._process is not None:
            process.kill(self._process)
            self._process = None

    def restart(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Start again on the same ports and data, after `stop`, `kill` or while it runs."""
        self.stop()
        self.start(timeout_seconds)

    def create_topic(self, name: str, partitions: int = 1, settings: Mapping[str, str] | None = None) -> None:
        """Make a topic; an existing one is unchanged."""
        topics.create_topic(self.bootstrap(), name, partitions, settings)

    def __enter__(self) -> KafkaBroker:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _settings_file(self) -> Path:
        return self.work / "server.properties"

    @cached_property
    def _java_and_class_path(self) -> tuple[str, str]:
        return str(find_java().path), provide().class_path

    def _java(self, heap: str, main_class: str, *arguments: str) -> list[str]:
        java, class_path = self._java_and_class_path
        options = (*_JAVA_OPTIONS, *_LOG_OPTIONS, *java_options(self.admission), *self.java_options)
        return [java, f"-Xmx{heap}", *options, "-cp", class_path, main_class, *arguments]

    def _write_settings(self) -> None:
        layout = Layout(
            bind_host=LOOPBACK,
            ports=self.ports,
            data_folder=str(self.work / "data"),
            key_store=str(self.certificates.key_store(self.certificate)),
            passwords=self.passwords,
        )
        ported = [(listener, self.listener_ports[listener.name]) for listener in self.listeners]
        settings = with_listeners(server_properties(layout), ported, self.admission, LOOPBACK)
        session = {} if self._is_formatted else _FIRST_SESSION
        write_private(self._settings_file, java_properties({**settings, **session, **self.properties}))

    @property
    def _is_formatted(self) -> bool:
        return (self.work / "data" / "meta.properties").is_file()

    def _format(self) -> None:
        """Prepare the data folder once; `kafka.Kafka` refuses one that is not prepared."""
        if self._is_formatted:
            return
        self.log.parent.mkdir(parents=True, exist_ok=True)
        log = self.log.with_name("format.log")
        command = self._java(
            "128m",
            "kafka.tools.StorageTool",
            "format",
            "-t",
            CLUSTER_ID,
            "-c",
            str(self._settings_file),
            *scram_users(self.listeners, self.passwords),
        )
        with log.open("wb") as output:
            done = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=FORMAT_TIMEOUT_SECONDS,
            )
        if done.returncode != 0:
            raise StackError(f"Kafka's data folder cannot be prepared. The end of {log}:\n{tail(log)}")
