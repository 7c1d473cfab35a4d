"""Parse the tokens by which the accelerator's mappings refer to parts of a namespace and a name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.settings.declarations.values import did_you_mean

PREFIX, HOST_PARTS, BODY, VALUES, GROUPS = (
    "prefix",
    "nameSpcConParts",
    "nameSpcBodyParts",
    "nameSpcNameVals",
    "nameGroups",
)
BODY_FROM, WORKSPACE, PARTS = "nameSpaceBodyJoinedBySlashFrom", "AdbWorkspaceUrl", "parts"

_SEPARATORS = re.compile(r"[@:/;,]")
_GROUP = re.compile(r"\[([^\[\]]+)\]")
_DOTS_AND_SLASHES = re.compile(r"[./]")
_TOKEN = re.compile(
    r"(?P<name>[A-Za-z]\w*)(?:\[(?:(?P<number>[0-9]{1,2})|'(?P<key>[^'\]]*)')\])?(?:\.parts?(?P<parts>\[(?P<part>[0-9]{1,2})\])?)?"
)
_NUMBERED = frozenset({HOST_PARTS, BODY, GROUPS, BODY_FROM})
_KNOWN = (PREFIX, HOST_PARTS, BODY, VALUES, GROUPS, BODY_FROM, WORKSPACE)
_ALSO = {"databasename": "database"}


@dataclass(frozen=True, slots=True)
class NameParts:
    """Namespace and name, split into the parts that tokens refer to."""

    prefix: str
    body: tuple[str, ...]
    host: tuple[str, ...]
    values: Mapping[str, str]
    groups: tuple[str, ...]
    workspace: str = ""


def parts(namespace: str, name: str, workspace: str = "") -> NameParts:
    """Split a namespace and a name into parts.

    >>> found = parts("test://a/b@my.host;one=1;two=2/", "[x.y][z]")
    >>> found.prefix, found.body, found.host, found.groups
    ('test', ('a', 'b', 'my.host'), ('my', 'host'), ('x.y', 'z'))
    """
    before, slashes, rest = namespace.partition("//")
    pieces = [piece for piece in _SEPARATORS.split(rest) if piece]
    body = tuple(piece for piece in pieces if piece.count("=") != 1)
    pairs = (piece.partition("=") for piece in pieces if piece.count("=") == 1)
    return NameParts(
        prefix=before[:-1] if slashes else namespace,
        body=body,
        host=tuple(label for piece in body if "." in piece for label in piece.split(".") if label),
        values={value_key(key): value for key, _, value in pairs},
        groups=tuple(_GROUP.findall(name)) or (name,),
        workspace=workspace,
    )


def value_key(key: str) -> str:
    """Return the stored key of a value: `database` for `databaseName`."""
    return _ALSO.get(key.lower(), key.lower())


@dataclass(frozen=True, slots=True)
class MappingToken:
    """Token of a mapping.

    Attributes:
        name: Keyword, such as `nameGroups`.
        number: Index in the list of the keyword; -1 for the whole list.
        key: Key of a value.
        is_parts: True for the parts of a group.
        part: Index of the part; -1 for all parts.
    """

    name: str
    number: int = -1
    key: str = ""
    is_parts: bool = False
    part: int = -1

    @property
    def text(self) -> str:
        """The token as written in a mapping."""
        index = f"['{self.key}']" if self.name == VALUES else f"[{self.number}]" if self.number >= 0 else ""
        return f"{self.name}{index}{f'.{PARTS}' if self.is_parts else ''}{f'[{self.part}]' if self.part >= 0 else ''}"

    @property
    def is_list(self) -> bool:
        """True if the token denotes a list rather than a single value."""
        return (self.name in _NUMBERED and self.number < 0) or (self.is_parts and self.part < 0)

    def texts(self, name: NameParts) -> tuple[str, ...]:
        """Return the values of the token in a name; empty if it has none."""
        if self.name == PREFIX:
            return (name.prefix,)
        if self.name == WORKSPACE:
            return (name.workspace,) if name.workspace else ()
        if self.name == VALUES:
            found = name.values.get(value_key(self.key))
            return () if found is None else (found,)
        if self.name == BODY_FROM:
            return ("/".join(name.body[self.number :]),) if self.number < len(name.body) else ()
        values = {HOST_PARTS: name.host, BODY: name.body, GROUPS: name.groups}[self.name]
        chosen = values if self.number < 0 else values[self.number : self.number + 1]
        if not self.is_parts:
            return chosen
        below = tuple(text for each in chosen for text in _DOTS_AND_SLASHES.split(each) if text)
        return below if self.part < 0 else below[self.part : self.part + 1]


def token(text: str) -> MappingToken:
    """Parse a token.

    Raises:
        ValueError: The token is invalid; the message states what is allowed.
    """
    found = _TOKEN.fullmatch(text.strip())
    name = found["name"] if found else text.strip()
    if found is None or name not in _KNOWN:
        raise ValueError(f"{text!r} is not a token; available: {', '.join(_KNOWN)}{did_you_mean(name, _KNOWN)}")
    has_parts = f".{PARTS[:-1]}" in text
    if (has_parts and name != GROUPS) or (name == VALUES) != (found["key"] is not None):
        raise ValueError(f"{text!r} is not a token; write {VALUES}['database'], {GROUPS}[0].{PARTS}[1] and the like")
    if (found["number"] is not None and name not in _NUMBERED) or (name == BODY_FROM and found["number"] is None):
        raise ValueError(
            f"{text!r} is not a token; an index is allowed for {', '.join(sorted(_NUMBERED))}, and required for {BODY_FROM}"
        )
    number = int(found["number"]) if found["number"] else 0 if has_parts else -1
    return MappingToken(name, number, found["key"] or "", has_parts, int(found["part"]) if found["part"] else -1)
