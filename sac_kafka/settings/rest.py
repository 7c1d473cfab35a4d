"""Settings: the server that receives messages over HTTP."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import TEXT, TEXTS, integer, seconds

OWN_KEY = "atlas.rest.address"
_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True, repr=False)
class Rest(Subject):
    """The Atlas server that receives messages over HTTP; `address_key` is the key from which `address` was read.

    `own_address` is the value of `atlas.rest.address`, the server to query. `address` may differ from it: it may be a service
    that only accepts notifications.
    """

    address_key: str = OWN_KEY
    own_address: str | None = None
    enabled: bool = setting(
        "atlas.hook.rest.notification.enabled",
        default=False,
        doc="true: same as `atlas.client.type=rest`, unless that is set. This is the key of Atlas' own hooks.",
    )
    address: str | None = setting(
        "atlas.hook.rest.notification.address",
        OWN_KEY,
        kind=TEXTS,
        doc="For `rest`: the base URL of Atlas without `/api/atlas`, https://atlas.example.org:21443, or several, "
        "separated by commas. For `purview`: https://ACCOUNT.purview.azure.com.",
    )
    user: str | None = setting(
        "atlas.rest.basic.auth.username",
        "atlas.client.username",
        kind=TEXT,
        doc="User name for `rest`. There is no default: Atlas' built-in admin account is never assumed.",
    )
    password: str | None = setting(
        "atlas.rest.basic.auth.password",
        "atlas.client.password",
        kind=TEXT,
        secret=True,
        doc="The password of that user.",
    )
    token: str | None = setting(
        "atlas.hook.spark.rest.token",
        kind=TEXT,
        secret=True,
        doc="A bearer token, for `rest` instead of user name and password, for `purview` instead of a token requested with "
        "`atlas.hook.spark.entra.credential`.",
    )
    ca_file: str | None = setting(
        "atlas.hook.spark.rest.ca.file",
        kind=TEXT,
        documented="what the system trusts",
        doc="A PEM file of the CA certificates to trust for `rest` and `purview` over https.",
    )
    timeout_seconds: float = setting(
        "atlas.hook.spark.rest.timeout.seconds",
        kind=seconds(0.1, 600),
        default=10.0,
        doc="Timeout of a request of `rest` or `purview`.",
    )
    body_bytes: int = setting(
        "atlas.notification.rest.body.max.length.bytes",
        kind=integer(10_000, 100_000_000, "bytes"),
        default=_MIB,
        doc="Maximum body size of a `rest` request that combines several queued messages.",
    )

    @property
    def query_address(self) -> str | None:
        """The address of the server for queries: one or several URLs, like `address`."""
        return self.own_address or self.address

    @property
    def query_address_key(self) -> str:
        """The key from which `query_address` was read."""
        return OWN_KEY if self.own_address else self.address_key
