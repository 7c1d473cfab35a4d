"""The identity that requests tokens of Entra ID: settings before the environment; all missing values are named."""

from __future__ import annotations

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.http.entra.identity import identity_of

TENANT = "11111111-2222-3333-4444-555555555555"
WHO = {"AZURE_TENANT_ID": TENANT, "AZURE_CLIENT_ID": "lineage"}


@pytest.mark.parametrize(
    ("settings", "variables", "kind"),
    [
        ({}, {}, EntraCredential.MANAGED_IDENTITY),
        ({}, WHO, EntraCredential.MANAGED_IDENTITY),
        ({}, {**WHO, "AZURE_CLIENT_SECRET": "s"}, EntraCredential.SECRET),
        ({}, {**WHO, "AZURE_CLIENT_CERTIFICATE_PATH": "/c.pem"}, EntraCredential.CERTIFICATE),
        ({}, {**WHO, "AZURE_FEDERATED_TOKEN_FILE": "/t"}, EntraCredential.WORKLOAD_IDENTITY),
        ({}, {**WHO, "AZURE_FEDERATED_TOKEN_FILE": "/t", "AZURE_CLIENT_SECRET": "s"}, EntraCredential.SECRET),
        ({"certificate_file": "/c.pem"}, {**WHO, "AZURE_CLIENT_SECRET": "s"}, EntraCredential.CERTIFICATE),
        ({"token": "t"}, {**WHO, "AZURE_CLIENT_SECRET": "s"}, EntraCredential.TOKEN),
        (
            {"credential": EntraCredential.MANAGED_IDENTITY},
            {**WHO, "AZURE_CLIENT_SECRET": "s"},
            EntraCredential.MANAGED_IDENTITY,
        ),
    ],
)
def test_the_kind_follows_from_what_is_set(
    settings: dict[str, object], variables: dict[str, str], kind: EntraCredential
) -> None:
    assert identity_of(Entra(**settings), variables).kind is kind


def test_settings_count_before_the_environment() -> None:
    found = identity_of(
        Entra(tenant="contoso.com", client="ours", client_secret="ours too"),
        {**WHO, "AZURE_CLIENT_SECRET": "theirs", "AZURE_AUTHORITY_HOST": "login.microsoftonline.us/"},
    )
    assert (found.tenant, found.client, found.proof.text) == ("contoso.com", "ours", "ours too")
    assert found.proof.place == "atlas.hook.spark.entra.client.secret"
    assert found.authority == "https://login.microsoftonline.us"


def test_a_variable_that_counts_is_named() -> None:
    assert identity_of(Entra(), {**WHO, "AZURE_CLIENT_SECRET": "s"}).proof.place == "AZURE_CLIENT_SECRET"


@pytest.mark.parametrize(
    ("settings", "variables", "names"),
    [
        ({"credential": EntraCredential.SECRET}, {}, ["atlas.hook.spark.entra.tenant.id", "AZURE_TENANT_ID"]),
        ({"client_secret": "s"}, {"AZURE_TENANT_ID": TENANT}, ["atlas.hook.spark.entra.client.id", "AZURE_CLIENT_ID"]),
        ({"credential": EntraCredential.SECRET}, WHO, ["atlas.hook.spark.entra.client.secret", "AZURE_CLIENT_SECRET"]),
        ({"credential": EntraCredential.CERTIFICATE}, WHO, ["atlas.hook.spark.entra.certificate.file"]),
        ({"credential": EntraCredential.WORKLOAD_IDENTITY}, WHO, ["AZURE_FEDERATED_TOKEN_FILE"]),
        ({"credential": EntraCredential.TOKEN}, WHO, ["atlas.hook.spark.entra.token"]),
        ({"client_secret": "s", "tenant": "a/b", "client": "c"}, {}, ["atlas.hook.spark.entra.tenant.id = a/b"]),
        (
            {"client_secret": "s", "authority": "http://login.microsoftonline.com"},
            WHO,
            ["atlas.hook.spark.entra.authority = http://login.microsoftonline.com"],
        ),
    ],
)
def test_missing_or_wrong_settings_are_named(
    settings: dict[str, object], variables: dict[str, str], names: list[str]
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        identity_of(Entra(**settings), variables)
    assert all(name in str(caught.value) for name in names)


def test_a_user_assigned_managed_identity_is_named_by_its_client() -> None:
    assert identity_of(Entra(client="mine"), {}).client == "mine"
    assert identity_of(Entra(), {"AZURE_CLIENT_ID": "mine"}).client == "mine"


def test_nothing_secret_is_shown() -> None:
    secret = "Zk4~Q8-very.secret"
    entra = Entra(client_secret=secret, certificate_password=secret, token=secret, tenant="t", client="c")
    assert secret not in repr(entra)
    for kind in (EntraCredential.SECRET, EntraCredential.TOKEN, EntraCredential.CERTIFICATE):
        found = identity_of(
            Entra(credential=kind, client_secret=secret, certificate_password=secret, token=secret, tenant="t"),
            {"AZURE_CLIENT_ID": "c", "AZURE_CLIENT_CERTIFICATE_PATH": "/c.pem"},
        )
        assert secret not in repr(found) + found.summary
