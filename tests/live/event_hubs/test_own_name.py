"""The namespace by its own name and port: what a file with nothing of the tests in it does.

Everything else here reaches the endpoint by another name, through settings of librdkafka (`atlas.kafka.librdkafka.…`).
"""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack.certificates import Certificates
from stack.properties import atlas_properties, login_module
from tests.helpers.broker import LocalBroker
from tests.helpers.processes import environment
from tests.live.event_hubs import own_names
from tests.live.event_hubs.clients import PLAIN
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import USER, Namespace

pytestmark = pytest.mark.kafka

ADDRESS = "127.0.93.1"  # of loopback, so that the port of the service is free there


@pytest.fixture
def over(tmp_path: Path, namespace: Namespace, certificates: Certificates) -> dict[str, Path]:
    """Return files that replace the machine's: the name's address, and the endpoint's authority among the system's."""
    if reason := own_names.why_not(tmp_path):
        pytest.skip(reason)
    places = own_names.hosts(tmp_path, {namespace.host: ADDRESS})
    system = ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt"
    if Path(system).is_file():
        places[str(Path(system).resolve())] = certificates.ca
    return places


@pytest.fixture
def own_endpoint(namespace: Namespace, broker: LocalBroker, certificates: Certificates) -> Iterator[Endpoint]:
    broker.create_topic("ATLAS_HOOK")
    port = int(broker.bootstrap.rpartition(":")[2])
    with Endpoint(
        namespace, port, certificates, host=ADDRESS, port=9093, advertised=(namespace.host, 9093)
    ) as endpoint:
        yield endpoint


def microsofts_file(folder: Path, namespace: Namespace) -> Path:
    """Return the file of Microsoft's page for the Spark Atlas Connector, with the namespace's own values."""
    login = {"username": USER, "password": namespace.connection_string(namespace.policy())}
    settings = {
        "atlas.client.type": "kafka",
        "atlas.kafka.bootstrap.servers": f"{namespace.host}:9093",
        "atlas.kafka.security.protocol": "SASL_SSL",
        "atlas.kafka.sasl.mechanism": "PLAIN",
        "atlas.kafka.sasl.jaas.config": login_module(PLAIN, login),
    }
    file = folder / "atlas-application.properties"
    file.write_text(atlas_properties(settings))
    return file


def run(over: dict[str, Path], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = own_names.command(over, sys.executable, "-m", *words)
    return subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment(), cwd=folder)


def test_the_file_of_microsofts_page_reaches_its_namespace(
    own_endpoint: Endpoint, namespace: Namespace, over: dict[str, Path], tmp_path: Path
) -> None:
    file = microsofts_file(tmp_path, namespace)
    done = run(over, tmp_path, "sac_kafka.tools.cli.main", "doctor", "--conf-file", str(file), "--timeout", "60")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"ok    log-in         kafka {namespace.host}:9093 (SASL_SSL, PLAIN as $ConnectionString)" in done.stdout
    assert "ok    topic          ATLAS_HOOK, 1 partition" in done.stdout
    assert namespace.seen.counts["log-ins"] > 0


@pytest.mark.exhaustive
@pytest.mark.spark
def test_with_nothing_but_that_file_a_jobs_lineage_leaves_in_the_dialect_of_purview(
    own_endpoint: Endpoint, namespace: Namespace, broker: LocalBroker, over: dict[str, Path], tmp_path: Path
) -> None:
    before = len(broker.read_all("ATLAS_HOOK"))
    microsofts_file(tmp_path, namespace)
    done = run(over, tmp_path, "tests.live.event_hubs.job", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report == {"flushed": True, "problem": None, "sink": f"kafka {namespace.host}:9093 (SASL_SSL)"}, done.stderr
    (message,) = [json.loads(value) for value in broker.read_all("ATLAS_HOOK")[before:]]
    assert message["message"]["type"] == "ENTITY_CREATE_V2"
    entities = message["message"]["entities"]["entities"]
    (flow,) = [each for each in entities if "columnMapping" in each["attributes"]]
    (mapped,) = json.loads(flow["attributes"]["columnMapping"])
    assert f"{tmp_path.name}/orders" in mapped["DatasetMapping"]["Source"]
    assert f"{tmp_path.name}/totals" in mapped["DatasetMapping"]["Sink"]
    assert mapped["ColumnMapping"] == [{"Source": "twice", "Sink": "total"}]
