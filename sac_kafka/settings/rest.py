"""Settings: the server that takes messages over HTTP."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import BOOLEAN, TEXT, TEXTS, integer, seconds

OWN_KEY = "atlas.rest.address"
_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class Rest(Subject):
    """The Atlas server that receives messages over HTTP; `address_key` is the key that has set `address`.

    `own_address` is what `atlas.rest.address` says, also where another key says where messages are posted: to a service that
    takes nothing else.
    """

    address_key: str = OWN_KEY
    own_address: str | None = None
    enabled: bool = setting(
        "atlas.hook.rest.notification.enabled",
        kind=BOOLEAN,
        default=False,
        doc="true: the same as `atlas.client.type=rest`, unless that is set. Atlas' own hooks have this key.",
    )
    address: str | None = setting(
        "atlas.hook.rest.notification.address",
        OWN_KEY,
        kind=TEXTS,
        default=None,
        doc="The address of Atlas for `rest`, such as https://atlas.example.org:21443, with what comes before `/api/atlas` "
        "where it has a path. Of several, separated by commas, "
        "the next one is tried when one does not answer. For `purview` that of the account: https://ACCOUNT.purview.azure.com.",
    )
    user: str | None = setting(
        "atlas.rest.basic.auth.username",
        "atlas.client.username",
        kind=TEXT,
        default=None,
        doc="User name for `rest`. No default; Atlas' built-in admin account is never assumed.",
    )
    password: str | None = setting(
        "atlas.rest.basic.auth.password",
        "atlas.client.password",
        kind=TEXT,
        default=None,
        secret=True,
        doc="The password of that user.",
    )
    token: str | None = setting(
        "atlas.hook.spark.rest.token",
        kind=TEXT,
        default=None,
        secret=True,
        doc="A bearer token for `rest`, instead of user name and password; for `purview`, instead of what "
        "`atlas.hook.spark.entra.credential` asks for.",
    )
    ca_file: str | None = setting(
        "atlas.hook.spark.rest.ca.file",
        kind=TEXT,
        default=None,
        shown="what the system trusts",
        doc="A PEM file of the certificates to trust, for `rest` and `purview` over https.",
    )
    timeout_seconds: float = setting(
        "atlas.hook.spark.rest.timeout.seconds",
        kind=seconds(0.1, 600),
        default=10.0,
        unit="seconds",
        doc="The longest that a request of `rest` or `purview` may take.",
    )
    body_bytes: int = setting(
        "atlas.notification.rest.body.max.length.bytes",
        kind=integer(10_000, 100_000_000),
        default=_MIB,
        unit="bytes",
        doc="The largest body that `rest` posts in one request when several messages are waiting.",
    )

    @property
    def asked_address(self) -> str | None:
        """Where the server is asked what it has: as `address`, one or several."""
        return self.own_address or self.address

    @property
    def asked_key(self) -> str:
        """The key that says so."""
        return OWN_KEY if self.own_address else self.address_key
