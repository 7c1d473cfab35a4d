"""Reads a properties file by the rules of commons-configuration 1.10, which Atlas' own hooks use up to 2.4.

They differ from `java.util.Properties`: values are lists split at commas, a key that is set again accumulates,
`include =` loads another file, `${key}`, `${sys:name}` and `${env:NAME}` are replaced. Friendlier are only: the
character set, UTF-16 where a byte order mark says so, UTF-8 where the bytes are valid UTF-8, else ISO-8859-1; a variable of
the environment with commas, which is taken whole where Atlas takes its first element. `${const:…}`, a constant of a Java
class, is not replaced.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sac_kafka.config.interpolation import from_outside, interpolated
from sac_kafka.errors import ConfigurationError

_BLANKS = "".join(map(chr, range(33)))  # what Java's String.trim takes off
_PROPERTY = re.compile(r"((?:[^\s\\=:]|\\.)*)(?:\s*[=:]\s*|\s+)(.*)", re.ASCII | re.DOTALL)
_KEY = re.compile(r"\W*([A-Za-z0-9._-]+)")
_BYTE_ORDER_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ESCAPES = {"r": "\r", "f": "\f", "t": "\t", "n": "\n", "b": "\b"}


SystemProperties = Mapping[str, str] | Callable[[str], str | None]
"""What `${sys:name}` stands for: the JVM's system properties or a function that asks for one."""


@dataclass(frozen=True, slots=True)
class LostLine:
    """A line that sets nothing: its place, its key, and whether it is continued behind the end of the file.

    A line that is not continued has no separator.
    """

    origin: str
    key: str
    is_unfinished: bool


@dataclass(frozen=True, slots=True)
class Properties:
    """What a file says. `origins` gives for each key the file and line of each of its values, as `/x/f, line 3`.

    `repeated` has the keys that are set several times, with what each of these lines says. `lost` are lines without effect.
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
    """Read a file and everything it includes; the elements of a list are joined with commas.

    Args:
        path: The file.
        system_properties: What `${sys:name}` stands for.
        environment: What `${env:NAME}` stands for; by default the process environment.
        content: What the file holds, where only the JVM can read it (in a jar); `path` is then its name.

    Raises:
        ConfigurationError: The file or one it includes cannot be read, is malformed or includes itself, or a value
            refers to itself.
    """
    asked = system_properties if callable(system_properties) else system_properties.get
    loader = _Loader(asked, os.environ if environment is None else environment, Path(path).parent)
    if content is None:
        loader.load(Path(path), ())
    else:
        loader.load_text(decoded(content), str(path), None)
    values = {
        # twice, because Atlas interpolates the configuration and then each value of the interpolated one
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
    counts: dict[str, list[int]] = field(default_factory=dict)  # of the elements that each line of a key has
    lost: list[LostLine] = field(default_factory=list)

    def load(self, path: Path, including: tuple[Path, ...]) -> None:
        self.load_text(decoded(_content(path, including)), str(path), (*including, path))

    def load_text(self, text: str, path: str, including: tuple[Path, ...] | None) -> None:
        """Take in a text; `including` are the files that led here, itself last, None where it is no file."""
        for number, line, is_finished in _logical_lines(text):
            match = _PROPERTY.fullmatch(line)
            if match is None or not is_finished:
                self._lose(line, f"{path}, line {number}", is_finished=is_finished)
            if not is_finished:
                continue
            raw_key, raw_value = match.groups() if match else ("", "")  # 1.10: a line without separator is lost
            key = "its key"
            try:
                key = _unescape(raw_key.strip(_BLANKS), keep_commas=False)
                value = _unescape(raw_value.strip(_BLANKS), keep_commas=True)
            except ValueError as error:
                place = f"{path}, line {number}"
                raise ConfigurationError(f"{place}: {key} {error}; a backslash is written as \\\\") from None
            if key.lower() == "include":
                self._include(value, path, including)
            else:
                elements = _elements(value)
                self.counts.setdefault(key, []).append(len(elements))
                self.store.setdefault(key, []).extend(elements)
                self.places.setdefault(key, []).append((path, number))

    def _lose(self, line: str, origin: str, *, is_finished: bool) -> None:
        """Note a line that sets nothing; what follows its key is left out, as it may be a secret."""
        if (key := _KEY.match(line)) is not None:
            self.lost.append(LostLine(origin, key[1], is_unfinished=not is_finished))

    def _include(self, value: str, path: str, including: tuple[Path, ...] | None) -> None:
        for name in filter(None, value.split(",")):
            wanted = self.interpolate(name.strip(_BLANKS), path, "include")
            if including is None:
                raise ConfigurationError(
                    f"{path}: include = {wanted}: a file in a jar cannot include; write it out there"
                )
            candidates = (Path(path).parent / wanted, self.base / wanted)
            target = next((file for file in candidates if _is_file(file)), candidates[0])
            if _is_file(target) and target.resolve() in [file.resolve() for file in including]:
                chain = " -> ".join(map(str, (*including, target)))
                raise ConfigurationError(f"{path}: include = {wanted}: a file includes itself: {chain}; remove one")
            self.load(target, including)

    def interpolate(self, text: str, path: str | Path, key: str) -> str:
        return interpolated(text, self._lookup, str(path), key)

    def _lookup(self, name: str) -> str | None:
        value = from_outside(name, self.system_property, self.environment)
        if value is None and self.store.get(name):
            value = self.store[name][0]
        return value


def _by_line(elements: list[str], counts: list[int]) -> tuple[str, ...]:
    """Give what each line says of a key whose elements are those of all its lines."""
    rest = iter(elements)
    return tuple(",".join(islice(rest, count)) for count in counts)


def _place(places: list[tuple[str, int]]) -> str:
    lines: dict[str, list[str]] = {}
    for path, number in places:
        lines.setdefault(path, []).append(str(number))
    return " and ".join(
        f"{path}, line{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}" for path, numbers in lines.items()
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no name of a file can be so
        return False


def _content(path: Path, including: tuple[Path, ...]) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        by = f" (included by {including[-1]})" if including else ""
        why = error.strerror if isinstance(error, OSError) else error
        raise ConfigurationError(f"{path}{by}: cannot be read: {why}; correct the path or the permissions") from None


def decoded(data: bytes) -> str:
    """Return the text of a file."""
    if data.startswith(_BYTE_ORDER_MARKS):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("iso-8859-1")


def _logical_lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each property with the number of its first physical line, and False where the end of the file cuts it off."""
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
    """Undo the escapes of a key or value; with `keep_commas` an escaped comma stays escaped, for `_elements`."""
    result = []
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character != "\\" or position == len(text):
            result.append(character)
            continue
        escaped = text[position]
        position += 1
        if escaped == "u":
            digits = text[position : position + 4]
            position += 4
            if len(digits) == 4:  # a truncated one at the end is dropped without a word
                result.append(_code_point(digits))
        elif escaped == "," and keep_commas:
            result.append("\\,")
        else:
            result.append(_ESCAPES.get(escaped, escaped))
    # what is beyond 16 bits is escaped as two halves
    return "".join(result).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _code_point(digits: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{4}", digits):
        raise ValueError("has a \\u that is no Unicode escape")  # the digits are not shown: they may be a secret's
    return chr(int(digits, 16))


def _elements(value: str) -> list[str]:
    r"""Split a list at its commas; a value whose first comma is its first character is no list, nor unescaped again."""
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
