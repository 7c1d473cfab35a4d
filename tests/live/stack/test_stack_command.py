"""`python -m stack kafka` runs until it is stopped; a failure is one clear error."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack import ports
from stack.__main__ import main
from stack.local import PASSWORD
from stack.ports import free_port, is_free

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _handler_of_signals() -> Iterator[None]:
    """Restore the signal handlers that the command line replaces."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


@pytest.mark.kafka
def test_runs_until_a_signal_and_writes_the_settings_of_a_client(tmp_path: Path) -> None:
    plaintext, sasl_ssl = free_port(), free_port()
    file, ca = tmp_path / "atlas-application.properties", tmp_path / "work" / "certificates" / "ca.pem"
    command = [sys.executable, "-m", "stack", "kafka", "--work", str(tmp_path / "work"), "--properties", str(file)]
    command += ["--plaintext-port", str(plaintext), "--sasl-ssl-port", str(sasl_ssl)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            printed = ""
            for line in process.stdout:  # it ends with the process
                printed += line
                if line.lstrip().startswith("properties:"):
                    break
            assert printed.startswith("Kafka is ready"), printed
            for part in (f"localhost:{plaintext}", f"localhost:{sasl_ssl}", "$ConnectionString", PASSWORD, str(ca)):
                assert part in printed
            assert file.read_text().splitlines() == [
                "atlas.metadata.namespace=local",
                f"atlas.kafka.bootstrap.servers=localhost:{sasl_ssl}",
                "atlas.kafka.security.protocol=SASL_SSL",
                "atlas.kafka.sasl.mechanism=PLAIN",
                "atlas.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required "
                f'username="$ConnectionString" password="{PASSWORD}";',
                "atlas.kafka.ssl.truststore.type=PEM",
                f"atlas.kafka.ssl.truststore.location={ca}",
            ]
            for private in (file, tmp_path / "work" / "server.properties"):
                assert private.stat().st_mode & 0o777 == 0o600
            process.terminate()
            assert process.wait() == 0
            assert is_free(plaintext) and is_free(sasl_ssl)
        finally:
            process.kill()


@pytest.mark.parametrize("name", ["no/such/file", "."])
def test_an_unwritable_file_is_reported_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["kafka", "--properties", name])
    assert ended.value.code == 2
    assert f"{name} cannot be written: name a file in a directory that exists" in capsys.readouterr().err


def test_a_port_in_use_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["kafka", "--work", str(tmp_path), "--plaintext-port", str(port), "--sasl-ssl-port", "0"]) == 1
    assert capsys.readouterr().err.startswith(f"error: in use on 127.0.0.1: port {port} (PLAINTEXT). Stop what")


def test_a_reserved_port_is_given_to_no_other_process() -> None:
    code = "from stack.ports import free_port; print(free_port(), free_port(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = [int(port) for port in other.stdout.readline().split()]
        assert [port for port in theirs if ports._reserved(port)] == []
        other.communicate("\n")
    assert [port for port in theirs if ports._reserved(port)] == theirs
