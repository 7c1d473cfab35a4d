"""The throw-away certificates: a TLS client accepts the right one and refuses the others for the right reason."""

from __future__ import annotations

import contextlib
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from stack.certificates import SERVERS, Certificates, make_certificates

SCRIPT = Path(__file__).parents[2] / "stack" / "certificates.sh"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


def shake_hands(key_store: Path, ca: Path, host: str = "localhost") -> None:
    """Do a TLS handshake in memory; raises what the client raises."""
    server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_context.load_cert_chain(key_store)
    client_context = ssl.create_default_context(cafile=str(ca))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server, server_hostname=host)
    server = server_context.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        with contextlib.suppress(ssl.SSLWantReadError):
            side.do_handshake()
    assert client.getpeercert()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_brokers_certificate_is_accepted(certificates: Certificates, host: str) -> None:
    shake_hands(certificates.key_store("broker"), certificates.ca, host)


def test_the_wrong_ones_are_refused_for_their_reason(certificates: Certificates) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(certificates.key_store("wrong_host"), certificates.ca)
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        shake_hands(certificates.key_store("expired"), certificates.ca)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"unable to get local issuer|self-signed"):
        shake_hands(certificates.key_store("broker"), certificates.other_ca)


def test_keys_are_private(certificates: Certificates) -> None:
    for name in (*SERVERS, "client"):
        assert certificates.key_store(name).stat().st_mode & 0o777 == 0o600


def test_usable_ones_stay_and_others_are_made_anew(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    first = made.ca.read_bytes()
    make_certificates(tmp_path)
    assert made.ca.read_bytes() == first
    made.ca.write_bytes(made.other_ca.read_bytes())  # as after `docker compose up`, which brings its own CA
    make_certificates(tmp_path)
    assert made.ca.read_bytes() not in (first, made.other_ca.read_bytes())
    shake_hands(made.key_store("broker"), made.ca)
    made.key_store("broker").write_text("damaged")
    make_certificates(tmp_path)
    shake_hands(made.key_store("broker"), made.ca)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the script runs in a container that has openssl")
def test_the_script_for_containers_makes_usable_ones_once(tmp_path: Path) -> None:
    private, repository = tmp_path / "private", tmp_path / "repository"
    private.mkdir()
    repository.mkdir()
    shown = repository / "build" / "stack" / "kafka" / "certificates" / "ca.pem"
    authorities = []
    for _ in range(2):
        subprocess.run(["sh", str(SCRIPT), str(private), str(repository)], check=True, capture_output=True, timeout=60)
        authorities.append(shown.read_bytes())
    assert authorities[0] == authorities[1]
    assert sorted(path.name for path in private.iterdir()) == ["broker.pem", "ca.pem"]
    for host in ("localhost", "127.0.0.1"):
        shake_hands(private / "broker.pem", shown, host)
