"""The containers of docker-compose.yml without an engine: linted, and their very commands run on this machine."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from stack import jars, java11
from stack.atlas import TOPICS
from stack.certificates import LOCAL_HOSTS
from stack.kafka import CONNECTION_STRING_USER, KafkaBroker
from stack.local import ATLAS_PORT, PASSWORD, PLAINTEXT_PORT, SASL_SSL_PORT
from stack.ports import free_port
from stack.web_application import ATLAS
from tests.server.rest import AtlasRest

ROOT = Path(__file__).parents[2]
CONTAINERS = ROOT / "stack" / "containers"
DOCKERFILES = sorted(CONTAINERS.glob("Dockerfile.*"))
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def instructions(dockerfile: Path) -> list[str]:
    """The instructions of a Dockerfile, each on one line, without comments."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile.read_text(), flags=re.MULTILINE)
    return [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def copied(dockerfile: Path) -> list[str]:
    """What a Dockerfile copies out of the repository."""
    lines = [line.split()[1:] for line in instructions(dockerfile) if line.startswith("COPY ")]
    return [source for words in lines if not words[0].startswith("--from") for source in words[:-1]]


def ran(dockerfile: Path, what: str) -> str:
    """The RUN instruction with a word in it."""
    (line,) = [line for line in instructions(dockerfile) if line.startswith("RUN ") and what in line]
    return line


# ---- what is written in the files


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_the_linter_has_no_warning(dockerfile: Path) -> None:
    command = [str(Path(sys.executable).with_name("dockerfile-doctor")), "--severity", "warning", "--no-color"]
    done = subprocess.run([*command, str(dockerfile)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_finds_something(tmp_path: Path) -> None:
    wrong = tmp_path / "Dockerfile"
    wrong.write_text("FROM python:latest\nRUN cd /tmp && sudo apt-get install curl\n")
    command = [str(Path(sys.executable).with_name("dockerfile-doctor")), "--severity", "warning", str(wrong)]
    assert subprocess.run(command, capture_output=True).returncode != 0


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_what_is_copied_is_there_and_not_ignored(dockerfile: Path) -> None:
    ignore = (ROOT / ".dockerignore").read_text().split()
    kept = [line.removeprefix("!") for line in ignore if line.startswith("!")]
    sources = copied(dockerfile)
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(fnmatch.fnmatch(source.split("/")[0], name) for name in kept), f"{source} is ignored"


def test_the_services_use_these_files() -> None:
    builds = {service["build"]["dockerfile"] for service in SERVICES.values() if "build" in service}
    assert builds == {str(path.relative_to(ROOT)) for path in DOCKERFILES}


def test_the_versions_are_those_of_the_rest() -> None:
    (war,) = jars.read_list(ATLAS)
    coordinates = f"{war.group}:{war.artifact}:{war.version}:{war.packaging}"
    assert f"-Dartifact={coordinates} " in ran(CONTAINERS / "Dockerfile.atlas", "mvn")
    (spark,) = re.findall(r"^SPARK \?= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f"ARG SPARK={spark}" in instructions(CONTAINERS / "Dockerfile.spark")


def test_no_container_runs_as_root() -> None:
    for dockerfile in DOCKERFILES:
        users = [line.split()[1] for line in instructions(dockerfile) if line.startswith("USER ")]
        assert users and users[-1] != "root"


# ---- the commands of the services, on this machine


def test_the_certificates_are_made_once(tmp_path: Path) -> None:
    """The service `certificates`: its script, with folders in the place of its volumes."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: the container has its own")
    assert SERVICES["certificates"]["entrypoint"] == ["sh", "/certificates.sh", "/certificates", "/repository"]
    private, repository = tmp_path / "private", tmp_path / "repository"
    private.mkdir()
    repository.mkdir()
    command = ["sh", str(ROOT / "stack" / "certificates.sh"), str(private), str(repository)]
    assert subprocess.run(command, capture_output=True, text=True).returncode == 0
    ca = repository / "build" / "stack" / "kafka" / "certificates" / "ca.pem"
    first = ca.read_bytes()
    verify = ["openssl", "verify", "-CAfile", str(ca)]
    for host in LOCAL_HOSTS:
        kind = "-verify_ip" if host[0].isdigit() else "-verify_hostname"
        checked = subprocess.run([*verify, kind, host, str(private / "broker.pem")], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert ca.read_bytes() == first
    assert not list(private.glob("*.key"))


def test_the_topics_are_made(tmp_path: Path) -> None:
    """The service `topics`: its shell command, with a program that writes down what it is called with."""
    (script,) = SERVICES["topics"]["command"]
    program, log = tmp_path / "kafka-topics.sh", tmp_path / "calls"
    program.write_text(f'#!/bin/sh\necho "$@" >> {log}\n[ "$FAIL" = "" ]\n')
    program.chmod(0o755)
    command = script.replace("$$", "$").replace("/opt/kafka/bin/kafka-topics.sh", str(program))
    assert subprocess.run(["sh", "-c", command]).returncode == 0
    assert log.read_text().splitlines() == [
        f"--bootstrap-server localhost:{PLAINTEXT_PORT} --create --if-not-exists --topic {topic} --partitions 1"
        for topic in TOPICS
    ]
    assert subprocess.run(["sh", "-c", command], env={**os.environ, "FAIL": "1"}).returncode != 0


def test_the_image_of_spark_gets_a_wheel(tmp_path: Path) -> None:
    """The first stage of Dockerfile.spark: what it copies is enough for its command to build the wheel."""
    dockerfile = CONTAINERS / "Dockerfile.spark"
    for source in ("pyproject.toml", "README.md", "LICENSE", "sac_kafka_auto.py", "sac_kafka_auto.pth", "sac_kafka"):
        assert source in copied(dockerfile)
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, tmp_path / source)
    _, pip, *arguments = shlex.split(ran(dockerfile, "pip wheel"))
    assert pip == "pip" and "/wheels" in arguments
    here = [str(tmp_path / "wheels") if argument == "/wheels" else argument for argument in arguments]
    # Without isolation it needs no network.
    command = [sys.executable, "-m", "pip", *here, "--quiet", "--no-build-isolation"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "sac_kafka/__init__.py" in names
    assert any(name.startswith("sac_kafka/atlas/typedefs/") for name in names)


@contextmanager
def service(command: list[str], environment: dict[str, str], ready: str) -> Iterator[list[str]]:
    """Run the command of a service until it has said that it is ready; gives the lines that it has printed."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines: list[str] = []
        for line in process.stdout:  # ends with the process, which has a deadline of its own to become ready
            lines.append(line)
            if ready in line:
                break
        yield lines
        process.terminate()
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()


@pytest.mark.atlas
@pytest.mark.nightly
@pytest.mark.spark
def test_atlas_and_the_demo_job_run_as_in_their_containers(tmp_path: Path) -> None:
    """The services `atlas` and `spark`: their entry points, with the ports and folders of a test."""
    entry = next(line for line in instructions(CONTAINERS / "Dockerfile.atlas") if line.startswith("ENTRYPOINT "))
    arguments = [*yaml.safe_load(entry.removeprefix("ENTRYPOINT ")), *SERVICES["atlas"]["command"]]
    with KafkaBroker(tmp_path / "kafka", passwords={CONNECTION_STRING_USER: PASSWORD}) as kafka:
        port = free_port()
        here = {
            "python": sys.executable,
            "/var/lib/atlas": str(tmp_path / "atlas"),
            "0.0.0.0": "127.0.0.1",
            f"localhost:{PLAINTEXT_PORT}": kafka.bootstrap("PLAINTEXT"),
            str(ATLAS_PORT): str(port),
        }
        assert set(here) <= set(arguments)
        command = [here.get(argument, argument) for argument in arguments]
        password = SERVICES["atlas"]["environment"]["ATLAS_PASSWORD"]
        with service(command, {"ATLAS_PASSWORD": password}, "logs:") as said:
            assert said[0].startswith("Atlas is ready"), "".join(said)
            assert password not in "".join(said)
            check = SERVICES["atlas"]["healthcheck"]["test"]
            url = f"http://localhost:{port}"
            healthy = [sys.executable, *check[2:-1], url]
            assert check[:2] == ["CMD", "python"] and check[-1] == f"http://localhost:{ATLAS_PORT}"
            assert subprocess.run(healthy, cwd=ROOT, capture_output=True).returncode == 0

            run_demo_job(kafka, tmp_path / "demo")

            found = wait_for_report(url, password)
            assert any("-> fs_path:" in edge and "top_customers" in edge for edge in found), found
            assert any("landing/orders" in edge for edge in found), found


def run_demo_job(kafka: KafkaBroker, work: Path) -> None:
    """Run the entry point of the service `spark`."""
    entry = next(line for line in instructions(CONTAINERS / "Dockerfile.spark") if line.startswith("ENTRYPOINT "))
    assert yaml.safe_load(entry.removeprefix("ENTRYPOINT ")) == [
        "sh", "demo-job.sh", "/opt/sac_kafka", "/home/spark/demo",
    ]  # fmt: skip
    assert SERVICES["spark"]["environment"]["KAFKA_BOOTSTRAP"] == f"localhost:{SASL_SSL_PORT}"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYSPARK_PYTHON": sys.executable,
        "KAFKA_BOOTSTRAP": kafka.bootstrap("SASL_SSL"),
        "KAFKA_CA_FILE": str(kafka.ca_file),
    }
    command = ["sh", str(CONTAINERS / "demo-job.sh"), str(ROOT), str(work)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def wait_for_report(url: str, password: str) -> list[str]:
    """The edges around the demo's report, once it has any."""
    rest = AtlasRest(url, "admin", password)
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        for name in rest.names("fs_path"):
            if "top_customers" in name and (edges := rest.lineage("fs_path", name)):
                return edges
        time.sleep(0.5)
    raise AssertionError(f"no lineage of the report; the server has {rest.names('DataSet')}")


def test_the_demo_job_asks_for_what_it_needs(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KAFKA_")}
    command = ["sh", str(CONTAINERS / "demo-job.sh"), str(ROOT), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode != 0 and "KAFKA_BOOTSTRAP: the address of the SASL_SSL listener" in done.stderr


def test_the_fetching_of_the_image_uses_what_maven_brought() -> None:
    line = ran(CONTAINERS / "Dockerfile.atlas", "stack fetch atlas")
    assert f"{jars.GIVEN_FOLDER}=/fetched" in line and "target=/fetched" in line
    assert "Linux x86_64" in java11.WHEEL.sha256 and SERVICES["atlas"]["platform"] == "linux/amd64"
