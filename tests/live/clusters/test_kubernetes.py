"""Kubernetes without a cluster: the requests of `spark-submit`, recorded by a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stack.standalone import spark_home
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.live.clusters.submitting import ROOT, clean

pytestmark = pytest.mark.yarn

EXAMPLES = ROOT / "examples" / "kubernetes"


class ApiServer(LoopbackServer):
    """Takes whatever is made, as Kubernetes does, and makes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[dict[str, Any]] = []

    def reply(self, request: HttpRequest) -> Reply:
        body = json.loads(request.body or b"{}")
        if body:
            self.made.append(json.loads(json.dumps(body)))
            body.setdefault("metadata", {}).update(uid="u-1", resourceVersion="1")
        return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()

    def of_kind(self, kind: str) -> dict[str, Any]:
        (found,) = [each for each in self.made if each["kind"] == kind and each["metadata"].get("uid") is None]
        return found


@pytest.fixture
def api_server() -> Iterator[ApiServer]:
    with ApiServer() as server:
        yield server


def test_the_drivers_pod_has_the_secret_the_switch_and_the_spool(api_server: ApiServer, tmp_path: Path) -> None:
    bin_ = spark_home() / "bin"
    done = subprocess.run(
        [
            EXAMPLES / "submit.sh",
            "--conf",
            "spark.kubernetes.submission.waitAppCompletion=false",
            "local:///opt/job/job.py",
        ],
        cwd=tmp_path,
        env={
            **clean(),
            "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
            "KUBERNETES": api_server.address,
            "IMAGE": "registry.example.com/spark-lineage",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pod = api_server.of_kind("Pod")["spec"]
    (driver,) = [each for each in pod["containers"] if each["name"] == "spark-kubernetes-driver"]
    assert driver["image"] == "registry.example.com/spark-lineage"
    assert driver["args"][-1] == "local:///opt/job/job.py"
    variables = {each["name"]: each.get("value") for each in driver["env"]}
    assert (variables["SAC_KAFKA_AUTO"], variables["ATLAS_CONF"]) == ("1", "/etc/sac_kafka")
    volumes = {each["name"]: each for each in pod["volumes"]}
    mounted = {each["mountPath"]: volumes[each["name"]] for each in driver["volumeMounts"]}
    assert mounted["/etc/sac_kafka"]["secret"]["secretName"] == "lineage"
    assert mounted["/var/spool/sac_kafka"]["persistentVolumeClaim"]["claimName"] == "lineage-spool"


def test_the_page_and_the_script_have_the_same_settings() -> None:
    page = (ROOT / "docs" / "clusters.md").read_text("utf-8")
    script = (EXAMPLES / "submit.sh").read_text("utf-8")
    settings = re.findall(r"--conf (spark\.\S+)", script)
    assert len(settings) == 6
    for each in settings:
        assert each in page, each


def test_the_linter_has_no_warning_about_the_image() -> None:
    assert "!dist" in (ROOT / ".dockerignore").read_text().split(), "the wheel must be in what is sent to the engine"
    command = [str(Path(sys.executable).with_name("dockerfile-doctor")), "--severity", "warning", "--no-color"]
    done = subprocess.run([*command, EXAMPLES / "Dockerfile"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
