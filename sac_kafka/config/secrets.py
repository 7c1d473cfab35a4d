"""What must not reach a log, an error message or a repr: secret settings, and secrets inside ordinary text.

Called wherever a setting, a URL or the text of a foreign error is shown. Masks rather too much than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MASK = "********"

_SECRET_KEY = re.compile(
    r"jaas\.config|option\.pass|passw|pwd|passphrase|secret|token(?!\.endpoint|\.renew)|\.pem$|keystore\.key$|"
    r"user\.info|basic\.auth(?!\.user(name)?$)|credential(?!s?\.(provider\.path|client\.id)$)|"
    r"(access|account|shared|api|private)[._-]?key(?!name|id)|signature|(^|[._-])sig$",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    r"""(
        (?:passw(?:or)?d|pwd|passphrase|secret|(?<!oauthbearer\ )token(?!\.endpoint)
          |(?:access|account|api|private)[._-]?key(?!name|id)|signature|x-amz-credential|\bsig)
        [\w.\-]{0,40} \\?["']? \s{0,3} [=:] \s{0,3}
    )(?:
        \\?"(?:\\.|[^"\\])*"?       # quoted as in JAAS and JSON: the value may hold blanks and ;
      | '(?:\\.|[^'\\])*'?
      | [^\s;&,"'()]+
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=\-]{8,}")
_JWT = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*")  # a token names itself: its first part is JSON in base64
_USER_INFO = re.compile(r"\b(\w{1,20})://([^/\s\"'?#]*)@")
_ORACLE_USER = re.compile(r"(jdbc:oracle:\w{1,10}:)[^@\s]+@", re.IGNORECASE)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_CONTAINER_SCHEMES = frozenset({"abfs", "abfss", "wasb", "wasbs"})  # before their @ stands a container, no user


def is_secret(key: str) -> bool:
    """Say whether the value of this setting is a secret as a whole (`sasl.jaas.config`, `…password…`, `….pem`)."""
    return _SECRET_KEY.search(key) is not None


def masked(key: str, value: str) -> str:
    """Give the value of a setting as it may be shown: stars for a secret one, else the value through `mask_text`."""
    return MASK if is_secret(key) and value else mask_text(value)


def mask_text(text: str) -> str:
    """Mask user info of URLs, parameters such as `password=`, `SharedAccessKey=`, `sig=`, tokens, and private keys.

    >>> mask_text("jdbc:postgresql://bob:pw@db/x?sslmode=on&password=pw")
    'jdbc:postgresql://********@db/x?sslmode=on&password=********'
    """
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _USER_INFO.sub(_mask_user_info, text)
    text = _ORACLE_USER.sub(rf"\1{MASK}@", text)
    text = _BEARER.sub(rf"\1 {MASK}", text)
    text = _JWT.sub(MASK, text)
    return _PARAMETER.sub(rf"\1{MASK}", text)


def _mask_user_info(match: re.Match[str]) -> str:
    scheme, user_info = match.groups()
    if not user_info or (scheme.lower() in _CONTAINER_SCHEMES and ":" not in user_info):
        return match.group(0)
    return f"{scheme}://{MASK}@"


class SecretMapping(Mapping[str, str]):
    """A read-only mapping of settings whose repr shows no secret."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr({key: masked(key, value) for key, value in self._values.items()})
