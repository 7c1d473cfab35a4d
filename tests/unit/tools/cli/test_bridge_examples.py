"""The files of examples/bridge: valid for what reads them, and their commands run."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

from sac_kafka.tools.cli.main import parser
from tests.helpers.bridges import BridgeProcess
from tests.unit.openlineage.small_events import dataset, event

EXAMPLES = Path(__file__).parents[4] / "examples" / "bridge"
UNIT = EXAMPLES / "sac-kafka-bridge.service"


def commands() -> dict[str, list[str]]:
    """Return the words of the command that each example runs."""
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT)
    (words,) = re.findall(r"^CMD (\[.*\])$", (EXAMPLES / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    return {
        "systemd": shlex.split(unit["Service"]["ExecStart"])[1:],
        "image": ["bridge", *json.loads(words)],
    }


def compose() -> dict[str, Any]:
    (service,) = yaml.safe_load((EXAMPLES / "docker-compose.yml").read_text("utf-8"))["services"].values()
    return dict(service)


@pytest.mark.parametrize("name", ["systemd", "image"])
def test_commands_are_valid(name: str) -> None:
    assert parser().parse_args(commands()[name]).listen.endswith(":5000")


def test_mounts_are_what_the_image_reads() -> None:
    image = (EXAMPLES / "Dockerfile").read_text("utf-8")
    (_, stateful) = yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text("utf-8"))
    (container,) = stateful["spec"]["template"]["spec"]["containers"]
    mounted: dict[str, list[Any]] = {
        "compose": [each.split(":")[1] for each in compose()["volumes"]],
        "kubernetes": [each["mountPath"] for each in container["volumeMounts"]],
    }
    for paths in mounted.values():
        for part in ("/etc/sac-kafka", "/etc/sac-kafka-token", "/var/lib/sac-kafka"):
            assert part in image
            assert any(path == part or path.startswith(f"{part}/") for path in paths), (part, paths)


@pytest.mark.full
@pytest.mark.parametrize("name", ["systemd", "image"])
def test_commands_run_with_their_files(name: str, tmp_path: Path) -> None:
    """The command listens with the example's configuration, and takes what has the token; the health check passes."""
    pytest.importorskip("uvicorn")
    places = {"/etc/sac-kafka-token": tmp_path, "/etc/sac-kafka": tmp_path, "CREDENTIALS_DIRECTORY": tmp_path}
    shutil.copy(EXAMPLES / "atlas-application.properties", tmp_path)
    (tmp_path / "token").write_text("secret\n", "utf-8")
    _, _, address, *words = commands()[name]
    assert address.endswith(":5000")
    for place, folder in places.items():
        words = [Template(word).safe_substitute({place: str(folder)}).replace(place, str(folder)) for word in words]
    bridge = BridgeProcess(tmp_path, *words)
    flow = json.dumps(event("COMPLETE", inputs=[dataset("raw.a")], outputs=[dataset("mart.b")])).encode()
    statuses = [
        bridge.request("POST", "/api/v1/lineage", flow, Authorization=f"Bearer {token}")[0] for token in ("x", "secret")
    ]
    check = [word.replace(":5000", f":{bridge.port}") for word in compose()["healthcheck"]["test"][2:]]
    subprocess.run([sys.executable, *check], check=True, timeout=60)
    bridge.end(signal.SIGTERM)
    assert statuses == [401, 201]


@pytest.mark.slow
def test_compose_file_is_valid() -> None:
    words = ["--builtin-schema", "vendor.compose-spec", EXAMPLES / "docker-compose.yml"]
    subprocess.run([sys.executable, "-m", "check_jsonschema", *words], check=True, timeout=300)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_unit_is_valid(tmp_path: Path) -> None:
    text = UNIT.read_text("utf-8").replace("/opt/sac-kafka/bin/sac-kafka", sys.executable)  # which must exist
    (tmp_path / UNIT.name).write_text(text, "utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / UNIT.name], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nightly
def test_manifest_is_valid() -> None:
    validator = pytest.importorskip("kubernetes_validate")
    for manifest in yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text("utf-8")):
        validator.validate(manifest, validator.latest_version(), strict=True)
