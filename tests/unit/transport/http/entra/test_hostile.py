"""Hostile texts of Entra ID, of a proxy, or in a setting are read in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.entra import Entra
from sac_kafka.tools.cli.purview_server import account_address, checked_address, is_purview
from sac_kafka.transport.http.entra.errors import explain
from sac_kafka.transport.http.entra.identity import EntraIdentity, identity_of
from sac_kafka.transport.http.entra.tokens import PURVIEW, expiry_ms
from tests.helpers.hostile import fault, texts

WHO = EntraIdentity(kind=EntraCredential.MANAGED_IDENTITY)


class _CredentialError(ValueError):
    """An error whose text still counts what is read of it."""

    def __str__(self) -> str:
        return self.args[0]


def chained(text: str) -> Exception:
    error = _CredentialError("AADSTS70 " + text)
    error.__cause__ = _CredentialError(text)
    return error


READERS: dict[str, Callable[[str], object]] = {
    "an error": lambda text: explain(chained(text), WHO, PURVIEW),
    "a token": lambda text: expiry_ms("a." + text, "here"),
    "a tenant": lambda text: identity_of(Entra(client_secret="s", client="c", tenant=text), {}),
    "an authority": lambda text: identity_of(Entra(client_secret="s", client="c", tenant="t", authority=text), {}),
    "an account": account_address,
    "an address": lambda text: checked_address("https://" + text, "--server"),
    "a host": is_purview,
}


@pytest.mark.parametrize("name", READERS)
def test_hostile_texts_are_read_in_linear_time(name: str) -> None:
    assert [found for head, unit in [*texts()][::7] if (found := fault(READERS[name], head, unit))] == []
