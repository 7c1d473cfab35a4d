"""What Entra ID, a proxy before it, or a setting says takes no longer to read than it is long."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from sac_kafka.cli.purview_server import account_address, checked_address, is_purview
from sac_kafka.config.choices import EntraCredential
from sac_kafka.errors import SacKafkaError
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.entra import PURVIEW, EntraIdentity, identity_of
from sac_kafka.transport.entra.errors import explained
from sac_kafka.transport.entra.tokens import end_of
from tests.hostile import SIZE, fault, texts

WHO = EntraIdentity(kind=EntraCredential.MANAGED_IDENTITY)


def chained(text: str) -> Exception:
    error = ValueError(f"AADSTS70 {text}")
    error.__cause__ = RuntimeError(text)
    return error


READERS: dict[str, Callable[[str], object]] = {
    "an error": lambda text: explained(chained(text), WHO, PURVIEW),
    "a token": lambda text: end_of(f"a.{text}", "here"),
    "a tenant": lambda text: identity_of(Entra(client_secret="s", client="c", tenant=text), {}),
    "an authority": lambda text: identity_of(Entra(client_secret="s", client="c", tenant="t", authority=text), {}),
    "an account": account_address,
    "an address": lambda text: checked_address(f"https://{text}", "--server"),
    "a host": is_purview,
}


@pytest.mark.parametrize("name", READERS)
def test_it_is_read_in_time(name: str) -> None:
    def read(text: str) -> None:
        with suppress(SacKafkaError):
            READERS[name](text)

    assert [found for head, unit in [*texts()][::7] if (found := fault(read, head, unit, SIZE // 2))] == []
