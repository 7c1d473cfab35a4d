"""Parts of the doctor's steps: certificates from their bytes, clocks, several servers, versions."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from email.utils import format_datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from sac_kafka.deadlines import Deadline
from sac_kafka.tools.doctor.environment_checks import PACKAGES, java_finding, spark_finding
from sac_kafka.transport.diagnostics.clocks import clock_finding
from sac_kafka.transport.diagnostics.findings import Verdict
from sac_kafka.transport.diagnostics.handshake import PresentedCertificate, read_certificate
from sac_kafka.transport.diagnostics.way import Route, ServerPort, check_route
from stack.certificates import make_certificates
from stack.ports import free_port
from tests.helpers.waiting import LONG_SECONDS

ROOT = Path(__file__).resolve().parents[3]


def test_a_certificate_is_shown_with_owner_issuer_and_expiry(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    for store, subject in (("wrong_host", "CN=elsewhere.test"), ("event_hubs", "CN=*.servicebus.windows.net")):
        certificate = x509.load_pem_x509_certificates(made.key_store(store).read_bytes())[0]  # type: ignore[arg-type]
        read = read_certificate(certificate.public_bytes(Encoding.DER))
        assert isinstance(read, PresentedCertificate)
        assert (read.subject, read.issuer) == (subject, "CN=sac_kafka local stack")
        assert (read.starts, read.ends) == (certificate.not_valid_before_utc, certificate.not_valid_after_utc)
        assert read.days_left(read.ends) == 0
        assert read.days_left(datetime(2000, 1, 1, tzinfo=timezone.utc)) > 9000
    der = certificate.public_bytes(Encoding.DER)
    assert {read_certificate(der[:end]) for end in range(0, len(der) // 2, 7)} == {"it cannot be read"}
    assert read_certificate(der * 100) == "it cannot be read"


def test_a_missing_cryptography_is_reported_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.x509", None)
    assert read_certificate(b"\x30\x00") == "its details need the package cryptography: install the extra `tools`"


@pytest.mark.parametrize(
    ("apart", "verdict", "expected"),
    [
        (0, Verdict.GOOD, "agree within 30 s"),
        (-29, Verdict.GOOD, "agree within 30 s"),
        (45, Verdict.DOUBT, "is 45 s ahead of that of x;"),
        (-200, Verdict.DOUBT, "is 3 min behind that of x;"),
        (300, Verdict.WRONG, "is 5 min ahead of that of x;"),
        (-86_400, Verdict.WRONG, "is 24 h behind that of x;"),
    ],
)
def test_clocks_that_differ_are_reported(apart: float, verdict: Verdict, expected: str) -> None:
    found = clock_finding("x", 1000.0, 1000.0 + apart)
    assert (found.verdict, expected in found.text) == (verdict, True), found.text
    assert format_datetime(datetime.now(timezone.utc))  # the form of servers' Date header


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_one_reachable_server_suffices_and_the_others_are_named(listening: int) -> None:
    closed, gone = ServerPort("127.0.0.1", free_port()), ServerPort("no-such-host.invalid", 1)
    way = Route(servers=(closed, gone, ServerPort("127.0.0.1", listening)), address="the.setting")
    host, tcp = check_route(way, Deadline(LONG_SECONDS))
    assert (host.verdict, tcp.verdict) == (Verdict.DOUBT, Verdict.DOUBT)
    assert host.text.startswith("no-such-host.invalid cannot be resolved: there is no such host; check the.setting")
    assert host.text.endswith("(of 3 servers 2 succeed)")
    assert tcp.text.startswith(f"nothing listens on {closed}; check the.setting")
    assert str(ServerPort("::1", 9093)) == "[::1]:9093"


def test_all_servers_alike_are_one_sentence() -> None:
    way = Route(servers=(ServerPort("a.invalid", 1), ServerPort("b.invalid", 1)), address="the.setting")
    (host,) = check_route(way, Deadline(LONG_SECONDS))
    assert (host.verdict, host.text.endswith("(all 2 servers alike)")) == (Verdict.WRONG, True)


@pytest.mark.parametrize(
    ("java", "spark", "verdict"),
    [
        ("17.0.15", (3, 5), Verdict.GOOD),
        ("1.8.0_402", (3, 5), Verdict.DOUBT),
        ("11.0.2", (4, 0), Verdict.WRONG),
        ("21", (4, 1), Verdict.DOUBT),
        ("21", (4, 3), Verdict.GOOD),
        ("25", (4, 3), Verdict.DOUBT),
        ("7", None, Verdict.GOOD),
    ],
)
def test_a_java_is_judged_by_its_spark(java: str, spark: tuple[int, int] | None, verdict: Verdict) -> None:
    assert java_finding(java, "x", spark).verdict is verdict


@pytest.mark.parametrize(
    ("spark", "verdict"),
    [("3.4.4", Verdict.WRONG), ("3.5.0", Verdict.GOOD), ("4.3.0", Verdict.GOOD), ("4.4.0", Verdict.DOUBT)],
)
def test_a_spark_is_judged_by_the_supported_versions(spark: str, verdict: Verdict) -> None:
    assert spark_finding(spark, "x").verdict is verdict


def test_packages_are_the_dependencies_of_the_wheel() -> None:
    needed = re.findall(r'"([\w-]+)>=([\d.]+),<', (ROOT / "pyproject.toml").read_text("utf-8").partition("\n[")[2])
    declared = {name: tuple(map(int, least.split("."))) for name, least in needed}
    assert {name: declared[name] for name in PACKAGES} == dict(PACKAGES)
