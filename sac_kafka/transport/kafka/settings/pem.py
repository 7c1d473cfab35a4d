"""Parse and write PEM, and find out whether a certificate is self-signed. Does no I/O."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]{1,60})-----")
_HEADER = re.compile(r"^[A-Za-z0-9-]+:.*$", re.MULTILINE)
_CERTIFICATES = ("CERTIFICATE", "X509 CERTIFICATE")


@dataclass(frozen=True, slots=True)
class PemBlock:
    """A PEM block (`-----BEGIN label-----` …); `der` is None if its content is not base64 or has encryption headers."""

    label: str
    text: str
    der: bytes | None

    @property
    def is_certificate(self) -> bool:
        """True for a certificate."""
        return self.label in _CERTIFICATES

    @property
    def is_key(self) -> bool:
        """True for a private key in any format."""
        return self.label.endswith("PRIVATE KEY")

    def __repr__(self) -> str:
        """Return only the label, because the content may be a private key."""
        return f"PemBlock({self.label})"


def blocks(text: str) -> tuple[PemBlock, ...]:
    r"""Return the PEM blocks of a text with the line breaks that OpenSSL requires.

    PEM in a properties file is often on one line or contains a literal `\n`, which Java accepts but OpenSSL does not.
    """
    return tuple(_blocks(text))


def pem(label: str, der: bytes) -> str:
    """Write DER as PEM."""
    return _wrapped(label, base64.b64encode(der).decode("ascii"))


def joined(found: Iterable[PemBlock]) -> str:
    """Join blocks to one text."""
    return "".join(block.text for block in found)


def is_self_signed(certificate: bytes) -> bool:
    """Return whether issuer and subject of a certificate are equal; True if it cannot be parsed, or without `cryptography`."""
    try:
        from cryptography.x509 import load_der_x509_certificate

        found = load_der_x509_certificate(certificate)
        return found.issuer == found.subject
    except (ImportError, ValueError):
        return True


def _blocks(text: str) -> Iterator[PemBlock]:
    for label, body in _bodies(text.replace("\\r", "\n").replace("\\n", "\n")):
        if _HEADER.search(body):  # a key encrypted in OpenSSL's traditional format, whose lines must be preserved
            lines = "\n".join(line.strip() for line in body.strip().splitlines())
            yield PemBlock(label, f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n", None)
            continue
        try:
            der = base64.b64decode("".join(body.split()), validate=True)
        except (binascii.Error, ValueError):
            der = None
        yield PemBlock(label, _wrapped(label, "".join(body.split())), der)


def _bodies(text: str) -> Iterator[tuple[str, str]]:
    """Yield label and body of each block. A missing END line is searched for once per label, so that time is linear."""
    at, endless = 0, set[str]()
    while begin := _BEGIN.search(text, at):
        end_line = f"-----END {begin[1]}-----"
        end = -1 if begin[1] in endless else text.find(end_line, begin.end())
        if end < 0:
            endless.add(begin[1])
            at = begin.end() - 5  # the dashes may also begin the next block
        else:
            yield begin[1], text[begin.end() : end]
            at = end + len(end_line)


def _wrapped(label: str, text: str) -> str:
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"
