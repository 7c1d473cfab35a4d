"""Read subject, issuer and validity of a certificate from its DER.

Python's ssl module decodes only certificates that it trusts, but untrusted ones need explaining most.
Source: RFC 5280, 4.1 (Certificate), and X.690 (its encoding). Any other data gives None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone

_SEQUENCE, _VERSION = 0x30, 0xA0
_TIMES = {0x17: "%y%m%d%H%M%SZ", 0x18: "%Y%m%d%H%M%SZ"}
_ENCODINGS = {0x0C: "utf-8", 0x1E: "utf-16-be"}  # The other string types are ASCII, or nearly.
_NAMES = {b"\x55\x04\x03": "CN", b"\x55\x04\x0a": "O", b"\x55\x04\x0b": "OU"}
_MAX_SHOWN = 80
_MAX_LENGTH_BYTES = 3
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


def read_certificate(der: bytes) -> PresentedCertificate | None:
    """Read a certificate; None if the data is no X.509 certificate."""
    if len(der) > _MAX_BYTES:
        return None
    try:
        (_, whole), *_ = _elements(der)
        (_, signed), *_ = _elements(whole)
        fields = [content for tag, content in _elements(signed) if tag != _VERSION]
        _serial, _algorithm, issuer, validity, subject = fields[:5]
        starts, ends = (_time(tag, content) for tag, content in _elements(validity))
        return PresentedCertificate(_name(subject), _name(issuer), starts, ends)
    except (ValueError, IndexError):
        return None


def _elements(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and content of each element of a sequence."""
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            if not 0 < size <= _MAX_LENGTH_BYTES:  # 0 is the indefinite length, which DER does not have.
                raise ValueError("no length of DER")
            length, at = int.from_bytes(data[at : at + size], "big"), at + size
        if at + length > len(data):
            raise ValueError("an element is longer than what holds it")
        yield tag, data[at : at + length]
        at += length


def _time(tag: int, content: bytes) -> datetime:
    return datetime.strptime(content.decode("ascii"), _TIMES.get(tag, "")).replace(tzinfo=timezone.utc)


def _name(content: bytes) -> str:
    """Return the common name, else the organization or its unit, else "unnamed"."""
    parts: dict[str, str] = {}
    for _, group in _elements(content):
        for tag, pair in _elements(group):
            if tag == _SEQUENCE:
                (_, kind), (encoding, text), *_ = _elements(pair)
                if kind in _NAMES:
                    parts[_NAMES[kind]] = " ".join(text.decode(_ENCODINGS.get(encoding, "latin-1"), "replace").split())
    found = next((f"{kind}={parts[kind][:_MAX_SHOWN]}" for kind in _NAMES.values() if parts.get(kind)), "")
    return found or "unnamed"
