"""All code of the package that reads texts: every pattern with the methods it is used by, every function of texts."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import pytest

import sac_kafka
from sac_kafka.atlas.datasets import paths
from sac_kafka.lineage.datasets.systems.kafka import topics_read
from sac_kafka.lineage.runs.identity import job_name_warning
from sac_kafka.masking import mask_setting, mask_text
from sac_kafka.model import PathDataset
from sac_kafka.names.jdbc_urls import rdbms_table
from sac_kafka.names.job_names import job_name
from sac_kafka.names.paths import root
from sac_kafka.purview.names.paths import asset as path_asset
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.interpolation import interpolate
from sac_kafka.settings.files.jaas import parse
from sac_kafka.tools.cli import styles
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from tests.helpers.work import Text, visit

METHODS: Mapping[str, Callable[[re.Pattern[str], str], object]] = {
    "search": re.Pattern.search,
    "match": re.Pattern.match,
    "fullmatch": re.Pattern.fullmatch,
    "findall": re.Pattern.findall,
    "split": re.Pattern.split,
    "finditer": lambda pattern, text: list(pattern.finditer(text)),
    "sub": lambda pattern, text: pattern.sub("", text),
}
_ALL_MATCHES = {"findall", "split", "finditer", "sub"}
"""They search again and again, and meet all that `search` and `match` meet."""

OWN_TEXTS = (
    "sac_kafka.atlas.types.",
    "sac_kafka.plan.declaration",
    "sac_kafka.plan.commands_without_write",
    "sac_kafka.transport.kafka.errors.rules",
)
"""What these modules read is the package's own."""
NOT_CALLED = (
    *(".from_file", ".import_function"),
    *("._check_pattern", "values._patterns", "styles._style", "globs.in_parts", "rules.criterion"),
    *("globs.flat", "names._glob", "names._table_glob"),  # tests/unit/test_globs.py
    *("explaining.explain", "explaining.one_line", "explaining.explain_reading", "masking.mask_setting", "paths.root"),
    "programs._from_script",  # by `os.path`, which looks up each folder of a path
)
"""Functions that print, read a file or import a module; that compile what they are given as a pattern; that are in
BY_HAND; or that have others read."""


@cache
def modules() -> tuple[ModuleType, ...]:
    """Import all modules of the package."""
    names = [each.name for each in pkgutil.walk_packages(sac_kafka.__path__, "sac_kafka.")]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


@cache
def caches() -> tuple[Any, ...]:
    """Return the caches of the package that are bounded, as their keys are texts."""
    every = (each for module in modules() for each in vars(module).values() if hasattr(each, "cache_parameters"))
    return tuple(each for each in every if each.cache_parameters()["maxsize"])


@dataclasses.dataclass
class Used:
    """How a module uses patterns: those that have a name, those in tables, and those that it compiles where it uses them."""

    assigned: set[str] = dataclasses.field(default_factory=set)
    by_name: dict[str, set[str]] = dataclasses.field(default_factory=dict)
    nameless: set[str] = dataclasses.field(default_factory=set)
    inline: dict[str, tuple[re.Pattern[str], str]] = dataclasses.field(default_factory=dict)


def used(module: ModuleType) -> Used:
    """Read a module's source."""
    found = Used()
    tree = ast.parse(inspect.getsource(module))
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found.assigned.update(each.id for each in targets if isinstance(each, ast.Name))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
            continue
        on, method = node.func.value, node.func.attr
        if isinstance(on, ast.Name) and on.id == "re":
            text = eval(compile(ast.Expression(node.args[0]), "", "eval"), dict(vars(module)))
            found.inline[f"line {node.lineno}"] = re.compile(text), method
        elif isinstance(on, ast.Name) and isinstance(vars(module).get(on.id), re.Pattern):
            found.by_name.setdefault(on.id, set()).add(method)
        elif method != "split" or not ((node.args and isinstance(node.args[0], ast.Constant)) or not node.args):
            found.nameless.add(method)  # a text, too, has `split`, but is given the separator
    return found


def inside(value: object, depth: int = 4) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (tuple, list, frozenset, set)):
        for each in value:
            yield from inside(each, depth - 1)
    elif depth and isinstance(value, Mapping):
        yield from inside(list(value.values()), depth - 1)
    elif depth and dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from inside([getattr(value, each.name) for each in dataclasses.fields(value)], depth - 1)


@cache
def patterns() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """Return all patterns of the package, once, by the place where they are, with the methods that they are used by."""
    found: dict[tuple[str, int], tuple[str, re.Pattern[str], set[str]]] = {}
    for module in modules():
        if not any(value is re or isinstance(value, re.Pattern) for value in vars(module).values()):
            continue
        uses = used(module)
        for name, value in vars(module).items():
            own = name in uses.assigned
            for pattern in inside(value):
                by_name = uses.by_name.get(name, set()) if value is pattern else set()
                methods = by_name or (uses.nameless if own else set())
                key = (pattern.pattern, pattern.flags)
                place, _, others = found.get(key, ("", pattern, set()))
                found[key] = f"{module.__name__}.{name}" if own or not place else place, pattern, others | methods
        for line, (pattern, method) in uses.inline.items():
            found.setdefault((pattern.pattern, pattern.flags), (f"{module.__name__} {line}", pattern, {method}))
    return {
        f"{place}: {pattern.pattern!r}": (pattern, _needed(methods or {"search"}))
        for place, pattern, methods in found.values()
    }


def _needed(methods: set[str]) -> frozenset[str]:
    """Leave out methods that meet nothing that another one does not meet."""
    if every := methods & _ALL_MATCHES:
        return frozenset({min(every)} | methods & {"fullmatch"})
    return frozenset(methods - {"match"} if "search" in methods else methods)


@cache
def readers() -> dict[str, Callable[[str], object]]:
    """Return the functions of the package that take texts and nothing else."""
    found: dict[str, Callable[[str], object]] = {}
    for module in modules():
        for name, value in vars(module).items():
            place = f"{module.__name__}.{name}"
            if not inspect.isfunction(value) or value.__module__ != module.__name__:
                continue
            if place.startswith(OWN_TEXTS) or place.endswith(NOT_CALLED):
                continue
            parameters = inspect.signature(value).parameters.values()
            needed = [each for each in parameters if each.default is each.empty]
            if needed and all(each.annotation in ("str", "str | None") for each in needed):
                found[place] = _called_with(value, [each.name for each in needed if each.kind is not each.KEYWORD_ONLY])
    return found


def _called_with(function: Callable[..., object], names: list[str]) -> Callable[[str], object]:
    def call(text: str) -> object:
        answer = function(*(text for _ in names))
        return list(answer) if isinstance(answer, Iterator) else answer

    return call


_MOUNTED = NamingContext(mounts=(("/a/a", "s3a://b/a"), ("/a", "abfss://c@h.dfs.core.windows.net")))
BY_HAND: Mapping[str, Callable[[str], object]] = {
    "mask_text": mask_text,
    "masked": lambda text: mask_setting("url", text),
    "marked": lambda text: styles.style_line(text, styles.LINEAGE),
    "root": root,
    "explain": lambda text: explain("_LOG", text),
    "explain, a log-in": lambda text: explain("SaslAuthenticationException", text),
    "job_name": lambda text: job_name(None, text),
    "rdbms_table": lambda text: rdbms_table("jdbc:" + text, ("t",)),
    "rdbms_table of Oracle": lambda text: rdbms_table("jdbc:oracle:thin:@(" + text, ("t",)),
    "rdbms_table with parameters": lambda text: rdbms_table("jdbc:sqlserver://h;" + text, ("t",)),
    "a path of s3": lambda text: paths.s3("s3a://b/" + text, "ns"),
    "a path of ADLS": lambda text: paths.adls_gen2("abfss://c@a/" + text, "ns"),
    "a path of GCS": lambda text: paths.gcp_storage("gs://b/" + text, "ns"),
    "a path of Ozone": lambda text: paths.ozone("ofs://s/v/b/" + text, "ns"),
    "a path of a bucket of Ozone": lambda text: paths.ozone_of_bucket("o3fs://b.v.s/" + text, "ns"),
    "a path in Purview": lambda text: asset_of_location("abfss://c@a/" + text, NamingContext(), is_output=False),
    "a host in Purview": lambda text: asset_of_location("https://" + text + "/c/p", NamingContext(), is_output=False),
    "a mount in Purview": lambda text: asset_of_location("dbfs:/" + text, _MOUNTED, is_output=False),
    "a path and its root in Purview": lambda text: path_asset(
        PathDataset(path="s3a://b/{date}/" + text, format="csv", locations=("s3a://b/2026-11-21/05/" + text,)),
        NamingContext(),
        is_output=False,
    ),
    "topics": lambda text: topics_read({"subscribe": text}),
    "interpolate": lambda text: interpolate(text, lambda name: None),
    "jaas": lambda text: parse("org.x.Module required " + text, "here"),
    "bootstrap.servers": lambda text: translate({"bootstrap.servers": text}),
    "bootstrap.servers, one of many": lambda text: translate({"bootstrap.servers": "h:1," + text}),
    "sasl.jaas.config": lambda text: translate(
        {
            "bootstrap.servers": "h:1",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": text,
        }
    ),
}
"""Readers that take more than a text."""

BOUNDED: Mapping[str, Callable[[str], object]] = {
    "sac_kafka.tools.cli.styles.": lambda text: [
        styles.style_line(text, (form,))
        for style in vars(styles).values()
        if isinstance(style, tuple)
        for form in style
    ],
    "sac_kafka.lineage.runs.identity line": job_name_warning,
}
"""Patterns that are worse than linear, and what gives them their texts: the beginning of a text alone."""
BOUND = 1_000


class CountedMatch:
    """A match whose groups count what is read of them, as the text did."""

    def __init__(self, match: re.Match[str]) -> None:
        self._match = match

    def __getattr__(self, name: str) -> Any:
        return getattr(self._match, name)

    def __getitem__(self, group: int | str) -> Any:
        return _text(self._match[group])

    def group(self, *groups: int | str) -> Any:
        return _text(self._match.group(*groups))

    def groups(self, default: Any = None) -> Any:
        return _text(self._match.groups(default))

    def groupdict(self, default: Any = None) -> Any:
        return _text(self._match.groupdict(default))


class CountedPattern:
    """A pattern that counts the characters that it looks at: to the end of what it finds, or of the text.

    Args:
        pattern: The pattern.
        longest: Keeps of each pattern the most characters that it was given.
    """

    def __init__(self, pattern: re.Pattern[str], longest: dict[str, int]) -> None:
        self._pattern, self._longest = pattern, longest

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def search(self, text: str, *bounds: int) -> CountedMatch | None:
        return next(self._matches(iter([self._pattern.search(text, *bounds)]), text, *bounds), None)

    def match(self, text: str, *bounds: int) -> CountedMatch | None:
        self._given(text, *bounds)
        if (found := self._pattern.match(text, *bounds)) is None:
            return None  # rarely further than a few characters
        visit(found.end() - found.start())
        return CountedMatch(found)

    def fullmatch(self, text: str, *bounds: int) -> CountedMatch | None:
        return next(self._matches(iter([self._pattern.fullmatch(text, *bounds)]), text, *bounds), None)

    def findall(self, text: str, *bounds: int) -> Any:
        self._given(text, *bounds)
        visit(len(text))
        return _text(self._pattern.findall(text, *bounds))

    def finditer(self, text: str, *bounds: int) -> Iterator[CountedMatch]:
        return self._matches(self._pattern.finditer(text, *bounds), text, *bounds)

    def split(self, text: str, maxsplit: int = 0) -> Any:
        self._given(text)
        visit(len(text))
        return _text(self._pattern.split(text, maxsplit))

    def sub(self, becomes: Any, text: str, count: int = 0) -> Any:
        self._given(text)
        visit(len(text))
        given = (lambda match: becomes(CountedMatch(match))) if callable(becomes) else becomes
        return _text(self._pattern.sub(given, text, count))

    def _given(self, text: str, start: int = 0, end: int = sys.maxsize) -> tuple[int, int]:
        end = min(end, len(text))
        self._longest[self._pattern.pattern] = max(end - start, self._longest.get(self._pattern.pattern, 0))
        return start, end

    def _matches(self, found: Iterator[re.Match[str] | None], text: str, *bounds: int) -> Iterator[CountedMatch]:
        at, end = self._given(text, *bounds)
        for each in found:
            if each is not None:
                visit(each.end() - at)
                at = each.end()
                yield CountedMatch(each)
        visit(end - at)


class _CountedModule:
    """The module `re`, whose functions count as a pattern does."""

    def __init__(self, longest: dict[str, int]) -> None:
        self._longest = longest

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            return getattr(re, name)
        return lambda pattern, *args, flags=0: getattr(CountedPattern(re.compile(pattern, flags), self._longest), name)(
            *args
        )


def _text(value: Any) -> Any:
    """Make texts count what is read of them."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(_text, value))
    if isinstance(value, dict):
        return {key: _text(each) for key, each in value.items()}
    return Text(value) if isinstance(value, str) else value


@contextlib.contextmanager
def counted_patterns() -> Iterator[dict[str, int]]:
    """Have the patterns of the package count what they look at; yield the most characters that each was given."""
    patterns(), readers()  # both look for patterns, which are no longer there while they count
    longest: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patched:
        for module in modules():
            for name, value in list(vars(module).items()):
                if value is re:
                    patched.setattr(module, name, _CountedModule(longest))
                elif (counted := _with_counted(value, longest)) is not value:
                    patched.setattr(module, name, counted)
        yield longest


def _with_counted(value: Any, longest: dict[str, int]) -> Any:
    """Copy a table with patterns that count; what holds no pattern is the same object."""
    if isinstance(value, re.Pattern):
        return CountedPattern(value, longest)
    if not any(True for _ in inside(value)):
        return value
    if isinstance(value, Mapping):
        return {key: _with_counted(each, longest) for key, each in value.items()}
    if isinstance(value, (tuple, list, frozenset, set)):
        return type(value)(_with_counted(each, longest) for each in value)
    copied = copy.copy(value)
    for field in dataclasses.fields(value):
        object.__setattr__(copied, field.name, _with_counted(getattr(value, field.name), longest))
    return copied
