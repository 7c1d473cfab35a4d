"""The throw-away certificates: a TLS client accepts the right one and refuses the others for the right reason."""

from __future__ import annotations

import contextlib
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from stack.certificates import LOCAL_HOSTS, SERVERS, make_certificates

SCRIPT = Path(__file__).parents[3] / "stack" / "certificates.sh"


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


def test_the_right_certificate_is_accepted_and_wrong_ones_are_refused(tmp_path: Path) -> None:
    made = make_certificates(tmp_path)
    for host in LOCAL_HOSTS:
        shake_hands(made.key_store("broker"), made.ca, host)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(made.key_store("wrong_host"), made.ca)
    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        shake_hands(made.key_store("expired"), made.ca)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"unable to get local issuer|self-signed"):
        shake_hands(made.key_store("broker"), made.other_ca)
    for name in (*SERVERS, "client"):
        assert made.key_store(name).stat().st_mode & 0o777 == 0o600
    first = made.ca.read_bytes()
    make_certificates(tmp_path)
    assert made.ca.read_bytes() == first
    made.ca.write_bytes(made.other_ca.read_bytes())  # as after `docker compose up`, which brings its own CA
    make_certificates(tmp_path)
    shake_hands(made.key_store("broker"), made.ca)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the script runs in a container that has openssl")
def test_the_script_for_containers_makes_usable_certificates_once(tmp_path: Path) -> None:
    private, repository = tmp_path / "private", tmp_path / "repository"
    private.mkdir()
    repository.mkdir()
    shown = repository / "build" / "stack" / "kafka" / "certificates" / "ca.pem"
    authorities = []
    for _ in range(2):
        subprocess.run(["sh", str(SCRIPT), str(private), str(repository)], check=True, capture_output=True)
        authorities.append(shown.read_bytes())
    assert authorities[0] == authorities[1]
    assert sorted(path.name for path in private.iterdir()) == ["broker.pem", "ca.pem"]
    for host in LOCAL_HOSTS:
        shake_hands(private / "broker.pem", shown, host)
