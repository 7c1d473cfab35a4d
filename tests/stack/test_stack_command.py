"""`python -m stack kafka` runs until it is told to end, and leaves nothing behind however it ends."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stack.__main__ import main
from stack.local import PASSWORD
from stack.ports import free_port, is_free

pytestmark = pytest.mark.kafka
READY_SECONDS = 300


@contextmanager
def command(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command until it has described the broker; gives the process and the description."""
    process = subprocess.Popen(
        [sys.executable, "-m", "stack", "kafka", *arguments],
        cwd=Path(__file__).parents[2],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:  # ends with the process, which has a deadline of its own to become ready
            lines.append(line)
            if line.lstrip().startswith(("properties:", "error:")):
                break
        yield process, "".join(lines)
    finally:
        process.kill()
        process.wait(READY_SECONDS)
        process.stdout.close()


def test_it_runs_until_it_is_ended_and_keeps_the_ca_and_the_data(tmp_path: Path) -> None:
    plaintext, sasl_ssl = free_port(), free_port()
    file = tmp_path / "atlas-application.properties"
    arguments = ["--work", str(tmp_path / "work"), "--plaintext-port", str(plaintext)]
    arguments += ["--sasl-ssl-port", str(sasl_ssl), "--properties", str(file)]
    ca = tmp_path / "work" / "certificates" / "ca.pem"

    with command(*arguments) as (process, description):
        assert description.startswith("Kafka is ready"), description
        for part in (f"localhost:{plaintext}", f"localhost:{sasl_ssl}", "$ConnectionString", PASSWORD, str(ca)):
            assert part in description
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
        assert file.stat().st_mode & 0o777 == 0o600
        first_ca = ca.read_bytes()
        process.terminate()
        assert process.wait(120) == 0
        assert is_free(plaintext)

    with command(*arguments) as (process, description):
        assert description.startswith("Kafka is ready"), description
        assert ca.read_bytes() == first_ca
        process.kill()  # nothing can be tidied up then: the kernel ends the broker
        deadline = time.monotonic() + 60
        while not is_free(plaintext):
            assert time.monotonic() < deadline, "the broker outlives its parent"
            time.sleep(0.02)


@pytest.mark.parametrize("name", ["no/such/file", "."])
def test_a_file_that_cannot_be_written_is_told_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["kafka", "--properties", name])
    assert ended.value.code == 2
    assert f"{name} cannot be written: name a file in a directory that exists" in capsys.readouterr().err


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with command("--work", str(tmp_path), "--plaintext-port", str(port)) as (process, output):
            assert process.wait(120) == 1
    assert re.match(rf"error: in use on 127\.0\.0\.1: port {port} \(PLAINTEXT\)", output)
    assert "Traceback" not in output
