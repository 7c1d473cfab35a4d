"""The same broker in a container, through testcontainers, for machines where a Docker engine answers.

It has the faces of `stack.kafka.KafkaBroker` that the tests use, and is configured by the same settings.
"""

from __future__ import annotations

import gc
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from stack import topics
from stack.certificates import make_certificates
from stack.errors import StackError
from stack.kafka import START_TIMEOUT_SECONDS, Credentials, choose_ports, generated_passwords
from stack.ports import LOOPBACK
from stack.server_properties import ADVERTISED_HOST, CLUSTER_ID, Layout, Protocol, environment, server_properties

IMAGE = "apache/kafka:4.3.1"
KEY_STORE = "/etc/kafka/secrets/broker.pem"
DATA_FOLDER = "/tmp/kafka/data"
ENGINE_TIMEOUT_SECONDS = 5


def has_engine() -> bool:
    """Tell whether testcontainers is installed and a Docker engine answers."""
    try:
        import_module("testcontainers.core.container")
        docker: Any = import_module("docker")
    except ImportError:
        return False
    with warnings.catch_warnings():
        # Without an engine the Docker client leaves sockets open: collected here, they warn in no test.
        warnings.simplefilter("ignore", ResourceWarning)
        answers = _answers(docker)
        gc.collect()
    return answers


def _answers(docker: Any) -> bool:  # noqa: ANN401 - the module is not installed everywhere
    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_SECONDS)
        try:
            return bool(client.ping())
        finally:
            client.close()
    except (docker.errors.DockerException, OSError):
        return False


class ContainerBroker:
    """One broker in a container; its ports are the same inside and outside, on loopback only."""

    def __init__(self, work: Path) -> None:
        self.ports = choose_ports()
        self.passwords = generated_passwords()
        self.certificates = make_certificates(work.absolute() / "certificates")
        self._container: Any = None

    @property
    def ca_file(self) -> Path:
        """The certificate that a client of the SASL_SSL listener has to trust."""
        return self.certificates.ca

    @property
    def credentials(self) -> Credentials:
        """The user `$ConnectionString` of the SASL_SSL listener."""
        return Credentials(*next(iter(self.passwords.items())))

    def bootstrap(self, protocol: Protocol = "PLAINTEXT") -> str:
        """Return the address for `bootstrap.servers`."""
        return f"{ADVERTISED_HOST}:{self.ports.of(protocol)}"

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> ContainerBroker:
        """Pull the image where it is missing, start the container and return once the broker answers."""
        try:
            self._container = self._described().start()
            topics.wait_until_answers(self.bootstrap(), timeout_seconds)
        except Exception as error:  # the engine, its registry and testcontainers have separate errors
            problem = f"{type(error).__name__}: {error}\n{self._log_tail()}"
            self.stop()
            raise StackError(f"{IMAGE} does not come up in a container: {problem}") from error
        return self

    def stop(self) -> None:
        """Remove the container and its data."""
        if self._container is not None:
            self._container.stop()
            self._container = None

    def kill(self) -> None:
        """End the broker as a crash would; its data stays."""
        self._container.get_wrapped_container().kill()

    def restart(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Start the killed or running broker again on the same ports and data."""
        self._container.get_wrapped_container().restart()
        topics.wait_until_answers(self.bootstrap(), timeout_seconds)

    def create_topic(self, name: str) -> None:
        """Make a topic; an existing one is unchanged."""
        topics.create_topic(self.bootstrap(), name)

    def _described(self) -> Any:  # noqa: ANN401 - testcontainers is not installed everywhere
        # The image's user is another one than this: it could not read the private key store.
        readable = self.certificates.folder / "container.pem"
        readable.write_bytes(self.certificates.key_store("broker").read_bytes())
        readable.chmod(0o644)
        layout = Layout(
            bind_host="0.0.0.0",  # inside the container
            ports=self.ports,
            data_folder=DATA_FOLDER,
            key_store=KEY_STORE,
            passwords=self.passwords,
        )
        container: Any = import_module("testcontainers.core.container").DockerContainer(IMAGE)
        for name, value in {**environment(server_properties(layout)), "CLUSTER_ID": CLUSTER_ID}.items():
            container.with_env(name, value)
        container.with_volume_mapping(str(readable), KEY_STORE, "ro")
        for port in (self.ports.plaintext, self.ports.sasl_ssl):
            container.ports[f"{port}/tcp"] = (LOOPBACK, port)  # with_bind_ports would listen on every address
        return container

    def _log_tail(self) -> str:
        if self._container is None:
            return ""
        output, errors = self._container.get_logs()
        return str((output + errors).decode(errors="replace"))[-3000:]
