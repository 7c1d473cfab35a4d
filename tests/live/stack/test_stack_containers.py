"""docker-compose.yml without an engine: it describes what `python -m stack` runs, and its commands run on this machine."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from stack import jars
from stack.__main__ import _parser
from stack.atlas import TOPICS
from stack.commands import ATLAS_PASSWORD, run_atlas
from stack.container import DATA_FOLDER, IMAGE, KEY_STORE
from stack.kafka import CONNECTION_STRING_USER
from stack.local import ATLAS_PORT, PASSWORD, PLAINTEXT_PORT, SASL_SSL_PORT, WORK
from stack.server_properties import CLUSTER_ID, Layout, Ports, environment, server_properties
from stack.web_application import ATLAS

ROOT = Path(__file__).parents[3]
CONTAINERS = ROOT / "stack" / "containers"
DOCKERFILES = sorted(CONTAINERS.glob("Dockerfile.*"))
COMPOSE = (ROOT / "docker-compose.yml").read_text()
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE)["services"]
LAYOUT = Layout(
    bind_host="0.0.0.0",
    ports=Ports(PLAINTEXT_PORT, SASL_SSL_PORT, 9094),
    data_folder=DATA_FOLDER,
    key_store=KEY_STORE,
    passwords={CONNECTION_STRING_USER: PASSWORD},
)


# ---- docker-compose.yml


def test_it_is_a_compose_file() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(ROOT / "docker-compose.yml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "$" not in re.sub(r"#.*", "", COMPOSE).replace("$$", "")  # which would be a variable of compose


def test_the_settings_are_those_of_the_local_process() -> None:
    found = {name: value.replace("$$", "$") for name, value in SERVICES["kafka"]["environment"].items()}
    assert found.pop("CLUSTER_ID") == CLUSTER_ID
    assert found == environment(server_properties(LAYOUT))
    assert {property_name(name): value for name, value in found.items()} == server_properties(LAYOUT)


def property_name(variable: str) -> str:
    """Return what the start program of Kafka's image makes of a variable's name."""
    name = variable.removeprefix("KAFKA_").lower().replace("_", ".")
    return name.replace("...", "-").replace("..", "_")


def test_addresses_topics_and_the_ca_are_the_same_and_nothing_is_published_beyond_this_machine() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    ports = (PLAINTEXT_PORT, SASL_SSL_PORT, ATLAS_PORT)
    assert sorted(published) == sorted(f"127.0.0.1:{port}:{port}" for port in ports)
    assert f"for topic in {' '.join(TOPICS)}; do" in COMPOSE
    assert f"{WORK}/kafka/certificates/ca.pem" in COMPOSE
    assert COMPOSE.count(f"image: {IMAGE}\n") == 2


# ---- the Dockerfiles


def instructions(dockerfile: Path) -> list[str]:
    """Return the instructions of a Dockerfile, each on one line, without comments."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile.read_text(), flags=re.MULTILINE)
    return [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def copied(dockerfile: Path) -> list[str]:
    """Return what a Dockerfile copies out of the repository."""
    lines = [line.split()[1:] for line in instructions(dockerfile) if line.startswith("COPY ")]
    return [source for words in lines if not words[0].startswith("--from") for source in words[:-1]]


def entry_point(service: str) -> list[str]:
    """Return the entry point of a service's image."""
    lines = instructions(CONTAINERS / f"Dockerfile.{service}")
    return yaml.safe_load(next(line for line in lines if line.startswith("ENTRYPOINT ")).removeprefix("ENTRYPOINT "))


def ran(dockerfile: Path, what: str) -> str:
    """Return the RUN instruction with a word in it."""
    (line,) = [line for line in instructions(dockerfile) if line.startswith("RUN ") and what in line]
    return line


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda path: path.name)
def test_copied_files_exist_and_are_not_ignored(dockerfile: Path) -> None:
    ignore = (ROOT / ".dockerignore").read_text().split()
    kept = [line.removeprefix("!") for line in ignore if line.startswith("!")]
    sources = copied(dockerfile)
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(fnmatch.fnmatch(source.split("/")[0], name) for name in kept), f"{source} is ignored"


def test_the_services_use_these_files_with_the_versions_of_the_rest_and_no_root() -> None:
    builds = {service["build"]["dockerfile"] for service in SERVICES.values() if "build" in service}
    assert builds == {str(path.relative_to(ROOT)) for path in DOCKERFILES}
    (war,) = jars.read_list(ATLAS)
    coordinates = f"{war.group}:{war.artifact}:{war.version}:{war.packaging}"
    assert f"-Dartifact={coordinates} " in ran(CONTAINERS / "Dockerfile.atlas", "mvn")
    assert f"{jars.GIVEN_FOLDER}=/fetched" in ran(CONTAINERS / "Dockerfile.atlas", "stack fetch atlas")
    (spark,) = re.findall(r"^SPARK \?= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f"ARG SPARK={spark}" in instructions(CONTAINERS / "Dockerfile.spark")
    for dockerfile in DOCKERFILES:
        users = [line.split()[1] for line in instructions(dockerfile) if line.startswith("USER ")]
        assert users and users[-1] != "root"


def test_the_command_of_atlas_exists_in_the_stack() -> None:
    python, module, stack, *arguments = [*entry_point("atlas"), *SERVICES["atlas"]["command"]]
    assert (python, module, stack) == ("python", "-m", "stack")
    parsed = _parser().parse_args(arguments)
    assert (parsed.run, parsed.kafka, parsed.atlas_port) == (run_atlas, f"localhost:{PLAINTEXT_PORT}", ATLAS_PORT)
    assert SERVICES["atlas"]["healthcheck"]["test"][1:] == [
        "python",
        "-m",
        "stack.health",
        f"http://localhost:{ATLAS_PORT}",
    ]
    assert ATLAS_PASSWORD in SERVICES["atlas"]["environment"]
