"""A namespace of Event Hubs as its owner has set it up: tier, event hubs, policies with their keys, and its limits.

Tests change it while clients are connected, as its owner does in the portal. The limits are those of Microsoft's quotas
page and of "Apache Kafka client configurations for Azure Event Hubs".
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import Enum

from tests.helpers.secret_search import used

USER = "$ConnectionString"


class Tier(Enum):
    """The tier, with the codecs that it takes of Kafka clients."""

    BASIC = "Basic"
    STANDARD = "Standard"
    PREMIUM = "Premium"

    @property
    def codecs(self) -> frozenset[str]:
        return frozenset({"none", "gzip"} if self is Tier.PREMIUM else {"none"})


def new_key() -> str:
    """Return a key of its form: 32 random bytes in base64."""
    return used(base64.b64encode(secrets.token_bytes(32)).decode())


@dataclass
class Policy:
    """A shared access policy: of the namespace, or of one event hub."""

    name: str
    rights: frozenset[str] = frozenset({"Send"})
    hub: str = ""
    key: str = field(default_factory=new_key)

    def rotate(self) -> None:
        """Give it another key; who is logged in stays so."""
        self.key = new_key()


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who is logged in: what it may do, and to which event hub alone ("": to all)."""

    name: str
    rights: frozenset[str]
    hub: str = ""
    may_list: bool = True
    """False: a client that requests brokers without an event hub is cut off, as people report of roles on one event hub."""

    def may(self, right: str, hub: str) -> bool:
        return (right in self.rights or "Manage" in self.rights) and self.hub.lower() in ("", hub.lower())


@dataclass
class Seen:
    """What the endpoint has seen of its clients."""

    versions: dict[str, set[int]] = field(default_factory=dict)
    """Versions of requests, by their names."""
    counts: Counter[str] = field(default_factory=Counter)
    """Connections, log-ins, refusals and the like."""
    publications: list[int] = field(default_factory=list)
    """Bytes of each batch that was offered."""


@dataclass
class Namespace:
    """One namespace. `throttle_seconds` is how long a publication waits because too much was sent before it, by `sleep`."""

    name: str = "contoso"
    tier: Tier = Tier.STANDARD
    hubs: tuple[str, ...] = ("ATLAS_HOOK",)
    policies: list[Policy] = field(default_factory=list)
    senders: dict[str, str] = field(default_factory=dict)
    """Whose tokens may send (`sub`), by the role Azure Event Hubs Data Sender on an event hub, or on the namespace ("")."""
    publication_bytes: int = 1_000_000
    request_bytes: int = 1_046_528
    """A longer request ends the connection without an answer."""
    idle_seconds: float = 240.0
    throttle_seconds: float = 0.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    has_firewall: bool = False
    seen: Seen = field(default_factory=Seen)

    @property
    def host(self) -> str:
        return f"{self.name}.servicebus.windows.net"

    def policy(self, name: str = "hook", rights: str = "Send", hub: str = "") -> Policy:
        """Add a policy; gives it."""
        made = Policy(name, frozenset(rights.split()), hub)
        self.policies.append(made)
        return made

    def connection_string(self, policy: Policy) -> str:
        """Return what the portal shows to be copied."""
        text = f"Endpoint=sb://{self.host}/;SharedAccessKeyName={policy.name};SharedAccessKey={policy.key}"
        return used(text + (f";EntityPath={policy.hub}" if policy.hub else ""))

    def hub(self, name: str) -> str | None:
        """Return the event hub of a name, which has no case; None if it is missing."""
        return next((each for each in self.hubs if each.lower() == name.lower()), None)
