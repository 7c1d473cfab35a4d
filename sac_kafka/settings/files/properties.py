"""Read properties files by the rules of commons-configuration 1.10, which Atlas' own hooks use up to 2.4.

Unlike in `java.util.Properties`, values are lists split at commas, a repeated key accumulates values, `include =` loads
another file, and `${key}`, `${sys:name}` and `${env:NAME}` are replaced.

There are three differences to commons-configuration. The character set is UTF-16 with a byte order mark, UTF-8 if the bytes
are valid UTF-8, else ISO-8859-1. An environment variable that contains commas is used whole; Atlas uses its first element.
`${const:…}`, a constant of a Java class, is not replaced.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.declarations.interpolation import from_outside, interpolate_value
from sac_kafka.settings.files.finding import is_file

_BLANKS = "".join(map(chr, range(33)))  # the characters that Java's String.trim removes
_PROPERTY = re.compile(r"((?:[^\s\\=:]|\\.)*)(?:\s*[=:]\s*|\s+)(.*)", re.ASCII | re.DOTALL)
_KEY = re.compile(r"\W*([A-Za-z0-9._-]+)")
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ESCAPE = re.compile(r"\\(?:([^u])|u(.{0,4}))", re.DOTALL)
_ESCAPES = {"r": "\r", "f": "\f", "t": "\t", "n": "\n", "b": "\b"}

SystemProperties = Mapping[str, str] | Callable[[str], str | None]
"""The JVM's system properties, or a function that returns one by name; for `${sys:name}`."""


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line without effect: it has no separator, or (`is_unfinished`) the file ends with a continuation of it."""

    origin: str
    key: str
    is_unfinished: bool


@dataclass(frozen=True, slots=True)
class Properties:
    """Content of a file and its included files. `origins` holds file and line of each key, as `/x/f, line 3`.

    `repeated` holds the keys that are set several times, with one value per line. `lost` are the lines without effect.
    """

    values: Mapping[str, str] = field(repr=False)  # it holds passwords
    origins: Mapping[str, str]
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    lost: tuple[LostLine, ...] = ()


def load_properties(
    path: str | Path,
    system_properties: SystemProperties,
    environment: Mapping[str, str] | None = None,
    content: bytes | None = None,
) -> Properties:
    """Read a file and the files it includes; the elements of a list are joined by commas.

    `content` is given if only the JVM can read the file (in a JAR); `path` is then its name. `environment` is by default that of
    the process.

    Raises:
        ConfigurationError: The file or an included one cannot be read, is malformed or includes itself, or a value
            refers to itself.
    """
    system_property = system_properties if callable(system_properties) else system_properties.get
    loader = _Loader(system_property, os.environ if environment is None else environment, Path(path).parent)
    if content is None:
        loader.load(Path(path), ())
    else:
        loader.load_text(decode(content), str(path), None)
    values = {
        # Twice, because Atlas interpolates the configuration and then each value of the result.
        key: [loader.interpolate(loader.interpolate(value, path, key), path, key) for value in elements]
        for key, elements in loader.store.items()
    }
    return Properties(
        {key: ",".join(elements) for key, elements in values.items()},
        {key: _place(places) for key, places in loader.places.items()},
        {key: _by_line(values[key], counts) for key, counts in loader.counts.items() if len(counts) > 1},
        tuple(loader.lost),
    )


@dataclass(slots=True)
class _Loader:
    system_property: Callable[[str], str | None]
    environment: Mapping[str, str]
    base: Path
    store: dict[str, list[str]] = field(default_factory=dict)
    places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    counts: dict[str, list[int]] = field(default_factory=dict)  # number of elements in each line of a key
    lost: list[LostLine] = field(default_factory=list)

    def load(self, path: Path, including: tuple[Path, ...]) -> None:
        self.load_text(decode(_content(path, including)), str(path), (*including, path))

    def load_text(self, text: str, path: str, including: tuple[Path, ...] | None) -> None:
        """Parse a text; `including` is the chain of files that include each other, this one last, None for a JAR entry."""
        for number, line, is_finished in _logical_lines(text):
            match = _PROPERTY.fullmatch(line)
            if match is None or not is_finished:
                self._lose(line, f"{path}, line {number}", is_finished=is_finished)
            if not is_finished:
                continue
            # Like 1.10, which ignores lines without separator.
            raw_key, raw_value = match.groups() if match else ("", "")
            key = "the key"
            try:
                key = _unescape(raw_key.strip(_BLANKS), keep_commas=False)
                value = _unescape(raw_value.strip(_BLANKS), keep_commas=True)
            except ValueError as error:
                place = f"{path}, line {number}"
                raise ConfigurationError(f"{place}: {key} {error}; write a backslash as \\\\") from None
            if key.lower() == "include":
                self._include(value, path, including)
            else:
                elements = _elements(value)
                self.counts.setdefault(key, []).append(len(elements))
                self.store.setdefault(key, []).extend(elements)
                self.places.setdefault(key, []).append((path, number))

    def _lose(self, line: str, origin: str, *, is_finished: bool) -> None:
        """Record a line without effect. Only its key is kept, because the rest may be a secret."""
        if (key := _KEY.match(line)) is not None:
            self.lost.append(LostLine(origin, key[1], is_unfinished=not is_finished))

    def _include(self, value: str, path: str, including: tuple[Path, ...] | None) -> None:
        for name in filter(None, value.split(",")):
            wanted = self.interpolate(name.strip(_BLANKS), path, "include")
            if including is None:
                raise ConfigurationError(
                    f"{path}: include = {wanted}: a file in a JAR cannot include others; copy the settings into it"
                )
            candidates = (Path(path).parent / wanted, self.base / wanted)
            target = next((file for file in candidates if is_file(file)), candidates[0])
            if is_file(target) and target.resolve() in [file.resolve() for file in including]:
                chain = " -> ".join(map(str, (*including, target)))
                raise ConfigurationError(
                    f"{path}: include = {wanted}: the file includes itself: {chain}; remove one include"
                )
            self.load(target, including)

    def interpolate(self, text: str, path: str | Path, key: str) -> str:
        return interpolate_value(text, self._lookup, str(path), key)

    def _lookup(self, name: str) -> str | None:
        value = from_outside(name, self.system_property, self.environment)
        if value is None and self.store.get(name):
            value = self.store[name][0]
        return value


def _by_line(elements: list[str], counts: list[int]) -> tuple[str, ...]:
    """Join the elements of a key by line; `counts` are the numbers of elements per line."""
    rest = iter(elements)
    return tuple(",".join(islice(rest, count)) for count in counts)


def _place(places: list[tuple[str, int]]) -> str:
    lines: dict[str, list[str]] = {}
    for path, number in places:
        lines.setdefault(path, []).append(str(number))
    return " and ".join(
        f"{path}, line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}" for path, numbers in lines.items()
    )


def _content(path: Path, including: tuple[Path, ...]) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        by = f" (included by {including[-1]})" if including else ""
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"{path}{by}: cannot be read: {why}; correct the path or the permissions") from None


def decode(data: bytes) -> str:
    """Decode the content of a properties file (UTF-16 with a byte order mark, UTF-8, else ISO-8859-1)."""
    if data.startswith(_BYTE_ORDER_MARKS):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("iso-8859-1")


def _logical_lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the first line number and the text of each logical line, and whether it is complete before the end of file."""
    pending: list[str] = []
    first = 0
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        trimmed = line.strip(_BLANKS)
        if not trimmed or trimmed[0] in "#!":
            continue
        first = first or number
        if (len(trimmed) - len(trimmed.rstrip("\\"))) % 2:
            pending.append(trimmed[:-1])
            continue
        yield first, "".join((*pending, trimmed)), True
        pending, first = [], 0
    if pending:
        yield first, "".join(pending), False


def _unescape(text: str, *, keep_commas: bool) -> str:
    """Unescape a key or value; with `keep_commas` escaped commas are kept for `_elements`."""

    def replace_escape(escape: re.Match[str]) -> str:
        character, digits = escape.groups()
        if character:
            return escape[0] if keep_commas and character == "," else _ESCAPES.get(character, character)
        if len(digits) < 4:
            return ""  # like 1.10, which silently drops a truncated escape at the end
        if not re.fullmatch("[0-9a-fA-F]{4}", digits):
            raise ValueError("contains an invalid Unicode escape \\u")  # not quoted: it may be part of a secret
        return chr(int(digits, 16))

    # Characters beyond 16 bits are escaped as surrogate pairs; the round trip joins them.
    return _ESCAPE.sub(replace_escape, text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _elements(value: str) -> list[str]:
    r"""Split a list at its commas. A value that starts with a comma is neither split nor unescaped, as in 1.10."""
    if value.find(",") <= 0:
        return [value]
    elements = [""]
    escaped = False
    for character in value:
        if escaped:
            elements[-1] += character if character in ",\\" else "\\" + character
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == ",":
            elements.append("")
        else:
            elements[-1] += character
    if escaped:
        elements[-1] += "\\"
    return [element.strip(_BLANKS) for element in elements]
