"""The settings of `atlas.client.type=purview`: what they make, and which are refused; the rest is in `http/data_map`."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.http.data_map.transport import DataMapTransport
from sac_kafka.transport.sinks.purview import SINK
from sac_kafka.transport.spool.options import destination_of
from tests.helpers.secret_search import used

TOKEN = used("purview-sink-token-b7f2")
ACCOUNT = "https://contoso.purview.azure.com"


def settings(address: str | None = ACCOUNT, **more: str) -> Settings:
    keys = {
        "atlas.client.type": "purview",
        "atlas.hook.spark.rest.token": TOKEN,
        **({"atlas.rest.address": address} if address is not None else {}),
        **more,
    }
    return Settings.read(keys, "here")


@pytest.mark.parametrize(
    "address",
    [
        ACCOUNT,
        f"{ACCOUNT}/",
        "contoso.purview.azure.com",
        f"{ACCOUNT}/catalog",
        f"{ACCOUNT}/datamap/",
        f"{ACCOUNT}/catalog/api/atlas/v2",
        f"{ACCOUNT}/datamap/api/atlas/v2/entity/bulk",
    ],
)
def test_an_account_is_the_same_however_its_address_was_copied(address: str) -> None:
    made = make_transport(settings(address))
    assert isinstance(made, DataMapTransport)
    assert made.name == f"purview {ACCOUNT}"
    assert destination_of(settings(address)) == destination_of(settings())


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"address": None}, "atlas.rest.address is not set; set it to https://ACCOUNT.purview.azure.com"),
        ({"address": f"{ACCOUNT},https://b"}, "is several addresses, and an account has one; give https://ACCOUNT"),
        (
            {"address": f"https://u:{TOKEN}@contoso.purview.azure.com"},
            "holds a user name or password: log in with a token",
        ),
        ({"address": "ftp://contoso"}, "is no address"),
        ({"address": f"{ACCOUNT}?x={TOKEN}"}, "must be without parameters"),
        ({"atlas.hook.spark.rest.token": f"{TOKEN}\nX"}, "atlas.hook.spark.rest.token must be one line of ASCII"),
        (
            {"atlas.hook.spark.rest.ca.file": "/no/such"},
            "atlas.hook.spark.rest.ca.file = /no/such: No such file or directory; name a PEM",
        ),
    ],
)
def test_wrong_settings_are_refused_with_the_fix(keys: dict[str, str | None], sentence: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        make_transport(settings(**keys))  # type: ignore[arg-type]
    assert sentence in str(raised.value)
    assert TOKEN not in str(raised.value)


def test_a_token_in_clear_is_warned_of_unless_it_stays_on_this_machine(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "sac_kafka"):
        make_transport(settings("http://127.0.0.1:1"))
        assert caplog.text == ""
        make_transport(settings("http://contoso.purview.azure.com"))
    assert "the token goes over the network in clear; use https://" in caplog.text
    assert TOKEN not in caplog.text


def test_the_destination_shows_the_collection_and_no_secret() -> None:
    assert SINK.describe(settings()) == f"purview {ACCOUNT} (with a token), into the root collection"
    placed = settings(**{"atlas.hook.spark.purview.collection": "abc123"})
    assert SINK.describe(placed) == f"purview {ACCOUNT} (with a token), into collection abc123"


def test_no_files_are_made(tmp_path: Path) -> None:
    assert list(SINK.problems(settings(**{"atlas.hook.spool.dir": str(tmp_path)}))) == []
