"""Read subject, issuer and validity of a certificate with `cryptography` (the extra `tools`).

Python's ssl module decodes only certificates that it trusts, but untrusted ones need explaining most.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.x509 import Name

NEEDS_CRYPTOGRAPHY = "its details need the package cryptography: install the extra `tools`"
_MAX_SHOWN = 80
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class PresentedCertificate:
    """The certificate of a server; names as in messages, times in UTC."""

    subject: str
    issuer: str
    starts: datetime
    ends: datetime

    @property
    def summary(self) -> str:
        """Subject, issuer and expiry."""
        return f"{self.subject}, issued by {self.issuer}, until {self.ends:%Y-%m-%d}"

    def days_left(self, now: datetime) -> int:
        """Return the whole days until expiry; negative if expired."""
        return (self.ends - now).days


def read_certificate(der: bytes) -> PresentedCertificate | str:
    """Read a certificate, or return why its details are unknown."""
    try:
        from cryptography.x509 import load_der_x509_certificate
    except ImportError:
        return NEEDS_CRYPTOGRAPHY
    if len(der) > _MAX_BYTES:
        return "it cannot be read"
    try:
        found = load_der_x509_certificate(der)
        starts, ends = found.not_valid_before_utc, found.not_valid_after_utc
        return PresentedCertificate(_common_name(found.subject), _common_name(found.issuer), starts, ends)
    except ValueError:
        return "it cannot be read"


def _common_name(name: Name) -> str:
    """Return the common name, else the organization or its unit, else "unnamed"."""
    from cryptography.x509.oid import NameOID

    for kind, oid in (
        ("CN", NameOID.COMMON_NAME),
        ("O", NameOID.ORGANIZATION_NAME),
        ("OU", NameOID.ORGANIZATIONAL_UNIT_NAME),
    ):
        if found := name.get_attributes_for_oid(oid):
            return f"{kind}={' '.join(str(found[-1].value).split())[:_MAX_SHOWN]}"
    return "unnamed"
