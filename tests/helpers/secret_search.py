"""Secrets that the tests use, and the search for them in everything that a run of the tests has left behind.

What a test configures is found by itself: passwords, tokens and keys in properties files and Spark's configuration, user
info of URLs there, private keys in PEM files. Whoever has a secret
elsewhere registers it with `used`. At the end of a run `tests/conftest.py` searches all files below the run's folder and
all that was captured; a secret that is found fails the run.
"""

from __future__ import annotations

import base64
import fnmatch
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

LEAST_LENGTH = 8
"""Shorter ones are words that stand anywhere."""
PUBLIC = ("not-a-secret", "changeit", "password", "********")
"""Parts of secrets that are not secret: the local stack's own, the customary password of key stores, and a mask."""

CONFIGURATION = (
    "*.properties",
    "*.conf",
    "conf*.json",
    "*.pem",
    "*.key",
    "*.jks",
    "*.jceks",
    "*.p12",
    "*.keytab",
    "stack.json",
)
"""Files that hold secrets on purpose."""
USER_DATA = ("part-*", ".part-*", "*.parquet", "*.crc", "*.index", "*.timeindex", "*.snapshot")
"""What jobs write; the indexes of the broker's segments are large and empty."""
SPOOL_FOLDERS = ("spool*", "rejected", "foreign")
"""Here the names are searched as well."""

_HASH_BITS = 22
_registered: set[str] = set()

_IN_JAAS = re.compile(r'(?:password|secret|user_[^\s=]+|clientsecret)\s*=\s*"((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_SECRET_KEY = r"[\w.$-]*(?:password|secret|token|(?:access|api|account|secret)[._-]?key)"
_IN_PROPERTIES = re.compile(rf"^{_SECRET_KEY}\s*[=:]\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_IN_JSON = re.compile(rf'"{_SECRET_KEY}"\s*:\s*"([^"]+)"', re.IGNORECASE)
_IN_URL = re.compile(r"://[^/\s:@\"]+:([^@/\s\"]+)@")
_IN_CONNECTION_STRING = re.compile(r"SharedAccessKey=([^;\"\s]+)")
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)-----END", re.DOTALL)


@dataclass(frozen=True)
class Found:
    """A secret where it must not be; shown by its origin and length only."""

    place: str
    origin: str
    length: int

    def __str__(self) -> str:
        return f"{self.place}: holds a secret of {self.length} characters from {self.origin}"


def used(secret: str) -> str:
    """Register a secret that a test uses; gives it back."""
    _registered.add(secret)
    return secret


def all_secrets(folder: Path) -> dict[str, str]:
    """Return the registered secrets, and those in configuration files below a folder, each with its origin."""
    secrets = dict.fromkeys(_registered, "a test")
    for file in _files(folder):
        if _is(file, CONFIGURATION):
            text = file.read_text("utf-8", "replace")
            for secret in _configured(text):
                secrets.setdefault(secret, str(file.relative_to(folder)))
    return {secret: origin for secret, origin in secrets.items() if _is_secret(secret)}


def search(folder: Path, secrets: dict[str, str]) -> list[Found]:
    """Search the content of all files but configuration and user data, and the names in spools."""
    if not secrets:
        return []
    forms = _Forms({form: secret for secret in secrets for form in _forms(secret)})
    found = []
    for file in _files(folder):
        place = str(file.relative_to(folder))
        for text, where in _texts(file, place):
            found.extend(Found(where, secrets[secret], len(secret)) for secret in forms.within(text))
    return found


class _Forms:
    """The forms of secrets, looked for all at once: a pattern of thousands of alternatives takes minutes."""

    def __init__(self, secrets: dict[bytes, str]) -> None:
        self._secrets = secrets
        self._beginning: dict[bytes, list[bytes]] = {}
        for form in secrets:
            self._beginning.setdefault(form[:LEAST_LENGTH], []).append(form)
        self._may_begin = np.zeros(1 << _HASH_BITS, dtype=bool)
        self._may_begin[_hashed(np.frombuffer(b"".join(self._beginning), dtype="<u8"))] = True

    def within(self, text: bytes) -> set[str]:
        """Return the secrets of which a form is in the text."""
        found = set()
        for offset in range(LEAST_LENGTH):
            count = (len(text) - offset) // LEAST_LENGTH
            if count <= 0:
                break
            words = np.frombuffer(text, dtype="<u8", count=count, offset=offset)
            for at in np.flatnonzero(self._may_begin[_hashed(words)]) * LEAST_LENGTH + offset:
                candidates = self._beginning.get(text[at : at + LEAST_LENGTH], ())
                found |= {self._secrets[form] for form in candidates if text.startswith(form, at)}
        return found


def _hashed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return (words * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _HASH_BITS)


def _texts(file: Path, place: str) -> Iterator[tuple[bytes, str]]:
    if any(fnmatch.fnmatch(part, name) for part in file.parts[:-1] for name in SPOOL_FOLDERS):
        yield file.name.encode(), f"the name of {place}"
    if _is(file, CONFIGURATION) or _is(file, USER_DATA):
        return
    content = file.read_bytes()
    yield content, place
    if content.startswith(b"Obj\x01"):
        yield from ((text, f"a record of {place}") for text in _avro_records(content))


def _avro_records(content: bytes) -> Iterator[bytes]:
    """Return the records of an Avro file, whatever its codec; a truncated one up to where it ends."""
    import fastavro

    try:
        for record in fastavro.reader(io.BytesIO(content)):
            yield repr(record).encode()
    except (ValueError, EOFError, IndexError, KeyError, OSError):
        return


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path


def _is(file: Path, names: Iterable[str]) -> bool:
    return any(fnmatch.fnmatch(file.name, name) for name in names)


def _configured(text: str) -> Iterator[str]:
    for key in _PRIVATE_KEY.findall(text):
        yield from (line for line in key.split() if len(line) > 40)
    plain = re.sub(r"\\(.)", r"\1", text)  # as written in a properties file
    for pattern in (_IN_JAAS, _IN_PROPERTIES, _IN_JSON, _IN_URL, _IN_CONNECTION_STRING):
        yield from pattern.findall(plain)


def _is_secret(text: str) -> bool:
    # A reference is not a secret: ${env:X}, a path, a JAAS text (whose password has been found in it).
    is_reference = text.startswith(("${", "/", "org.apache."))
    return len(text) >= LEAST_LENGTH and not is_reference and not any(word in text for word in PUBLIC)


def _forms(secret: str) -> set[bytes]:
    plain = secret.encode()
    return {plain, quote(secret, safe="").encode(), *(_in_base64(plain, before) for before in range(3))}


def _in_base64(plain: bytes, before: int) -> bytes:
    """Return the base64 form behind so many other bytes, without the characters that these affect."""
    encoded = base64.b64encode(b"\0" * before + plain).rstrip(b"=")
    first, last = (0, 2, 3)[before], len(encoded) - bool((before + len(plain)) % 3)
    return encoded[first:last]
