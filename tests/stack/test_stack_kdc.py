"""The Kerberos realm of the tests: it makes what it was asked for, ends, and says why it does not come up."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from stack.errors import StackError
from stack.kdc import BROKER, Kdc
from stack.ports import LOOPBACK, is_free

pytestmark = pytest.mark.kafka


def test_it_makes_keytabs_and_tickets_and_ends(tmp_path: Path) -> None:
    with Kdc(tmp_path / "kdc", stale=("stale",), tickets=("client",)) as kdc:
        assert not is_free(kdc.port)
        for file in (kdc.keytab(BROKER), kdc.keytab("client"), kdc.keytab("stale"), kdc.ticket_cache("client")):
            assert file.stat().st_size > 50
        assert f"localhost:{kdc.port}" in kdc.krb5_conf.read_text()
    assert is_free(kdc.port)


def test_a_realm_that_does_not_come_up_says_why(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        kdc = Kdc(tmp_path / "kdc")
        kdc.port = taken.getsockname()[1]
        with pytest.raises(StackError, match=r"the KDC did not come up(?s:.*)in use"):
            kdc.start()
