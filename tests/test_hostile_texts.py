"""Nothing that reads texts from outside is worse than linear: 100,000 hostile characters take 50 ms of an idle CPU.

Patterns and readers are found by themselves: all that are compiled in the package, tried as its code uses them, and all
functions that take nothing but text.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from types import ModuleType

import pytest

import sac_kafka
from sac_kafka.atlas.datasets import object_stores
from sac_kafka.config.interpolation import interpolate
from sac_kafka.config.jaas import parse
from sac_kafka.config.secrets import mask_text, masked
from sac_kafka.lineage.datasets.paths import root
from sac_kafka.lineage.datasets.systems.jdbc_urls import rdbms_table
from sac_kafka.lineage.datasets.systems.kafka import topics_read
from sac_kafka.lineage.model import PathDataset
from sac_kafka.lineage.runs.job import job_name
from sac_kafka.purview.names.paths import asset as path_asset
from sac_kafka.purview.names.paths import asset_of_location
from sac_kafka.purview.surroundings import AssetSurroundings
from sac_kafka.transport.kafka.errors.explaining import explain
from sac_kafka.transport.kafka.errors.rule import Rule
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from tests.hostile import FILLERS, SIZE, fault, fillers, texts

METHODS = {
    "search": re.Pattern.search,
    "match": re.Pattern.match,
    "fullmatch": re.Pattern.fullmatch,
    "findall": re.Pattern.findall,
    "split": re.Pattern.split,
    "finditer": lambda pattern, text: list(pattern.finditer(text)),
    "sub": lambda pattern, text: pattern.sub("", text),
}
PART = 5
"""There are many patterns and functions: they are tried with a fifth of the text. What grows faster than it shows by then.

But for what copies the text: that takes 100,000 characters to show, and `mask_text`, which looks for many words, all texts.
"""

OWN_TEXTS = (
    "sac_kafka.atlas.types.",
    "sac_kafka.plan.declaration",
    "sac_kafka.plan.commands_without_write",
    "sac_kafka.transport.kafka.errors.rule",
)
"""What these modules read is the package's own."""
NOT_CALLED = (
    *("._say", "saying.say", "saying.give", "saying.give_text", "._remark", ".from_file", ".function_named"),
    *("._check_pattern", "values._patterns", "looks._look", "globs.in_parts", "rules.criterion"),
    *("globs.flat", "names._glob", "names._table_glob", "names._path_glob"),  # tests/lineage/leaving_out/test_globs.py
    *("explaining.explain", "explaining.one_line", "reading.explain_reading", "secrets.masked", "paths.root"),
)
"""Functions that print, read a file or import a module; that compile what they are given as a pattern; or that are in
BY_HAND."""


@cache
def modules() -> tuple[ModuleType, ...]:
    names = [each.name for each in pkgutil.walk_packages(sac_kafka.__path__, "sac_kafka.")]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


def used(module: ModuleType) -> tuple[dict[str, set[str]], set[str], dict[str, tuple[re.Pattern[str], str]]]:
    """How a module uses patterns: by their names, without one, and where it compiles them."""
    by_name: dict[str, set[str]] = {}
    nameless: set[str] = set()
    inline: dict[str, tuple[re.Pattern[str], str]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
            continue
        on, method = node.func.value, node.func.attr
        if isinstance(on, ast.Name) and on.id == "re":
            text = eval(compile(ast.Expression(node.args[0]), "", "eval"), dict(vars(module)))
            inline[f"line {node.lineno}"] = re.compile(text), method
        elif isinstance(on, ast.Name) and isinstance(vars(module).get(on.id), re.Pattern):
            by_name.setdefault(on.id, set()).add(method)
        else:
            nameless.add(method)
    return by_name, nameless, inline


def inside(value: object, depth: int = 4) -> Iterator[re.Pattern[str]]:
    """The patterns in tables."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, (tuple, list, frozenset, set)):
        for each in value:
            yield from inside(each, depth - 1)
    elif depth and isinstance(value, dict):
        yield from inside(list(value.values()), depth - 1)
    elif isinstance(value, Rule):
        yield from inside((value.pattern, value.about))


@cache
def patterns() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """All patterns of the package, once, and how they are used."""
    found: dict[tuple[str, int], tuple[str, re.Pattern[str], set[str]]] = {}
    for module in modules():
        by_name, nameless, inline = used(module)
        for name, value in vars(module).items():
            for pattern in inside(value):
                methods = by_name.get(name, nameless) if value is pattern else nameless
                key = (pattern.pattern, pattern.flags)
                place, _, others = found.get(key, (f"{module.__name__}.{name}", pattern, set()))
                found[key] = place, pattern, others | (methods & METHODS.keys())
        for place, (pattern, method) in inline.items():
            found.setdefault((pattern.pattern, pattern.flags), (f"{module.__name__}: {place}", pattern, {method}))
    return {
        f"{place} {pattern.pattern[:40]}": (pattern, frozenset(methods or {"search"}))
        for place, pattern, methods in found.values()
    }


@cache
def readers() -> dict[str, Callable[[str], object]]:
    """The functions of the package that take texts and nothing else."""
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
            if needed and all(each.annotation == "str" for each in needed):
                found[place] = _asked(value, [each.name for each in needed if each.kind is not each.KEYWORD_ONLY])
    return found


def _asked(function: Callable[..., object], names: list[str]) -> Callable[[str], object]:
    def ask(text: str) -> object:
        answer = function(*(text for _ in names))
        return list(answer) if isinstance(answer, Iterator) else answer

    return ask


_MOUNTED = AssetSurroundings(mounts=(("/a/a", "s3a://b/a"), ("/a", "abfss://c@h.dfs.core.windows.net")))
BY_HAND: Mapping[str, Callable[[str], object]] = {
    "mask_text": mask_text,
    "masked": lambda text: masked("url", text),
    "root": root,
    "explain": lambda text: explain("_LOG", text),
    "explain, a log-in": lambda text: explain("SaslAuthenticationException", text),
    "job_name": lambda text: job_name(None, text),
    "rdbms_table": lambda text: rdbms_table(f"jdbc:{text}", ("t",)),
    "rdbms_table of Oracle": lambda text: rdbms_table(f"jdbc:oracle:thin:@({text}", ("t",)),
    "rdbms_table with parameters": lambda text: rdbms_table(f"jdbc:sqlserver://h;{text}", ("t",)),
    "a path of s3": lambda text: object_stores.s3(f"s3a://b/{text}", "ns"),
    "a path of ADLS": lambda text: object_stores.adls_gen2(f"abfss://c@a/{text}", "ns"),
    "a path of GCS": lambda text: object_stores.gcp_storage(f"gs://b/{text}", "ns"),
    "a path of Ozone": lambda text: object_stores.ozone(f"ofs://s/v/b/{text}", "ns"),
    "a path of a bucket of Ozone": lambda text: object_stores.ozone_of_bucket(f"o3fs://b.v.s/{text}", "ns"),
    "a path in Purview": lambda text: asset_of_location(f"abfss://c@a/{text}", AssetSurroundings(), is_output=False),
    "a host in Purview": lambda text: asset_of_location(f"https://{text}/c/p", AssetSurroundings(), is_output=False),
    "a mount in Purview": lambda text: asset_of_location(f"dbfs:/{text}", _MOUNTED, is_output=False),
    "a path and its root in Purview": lambda text: path_asset(
        PathDataset(path=f"s3a://b/{{date}}/{text}", format="csv", locations=(f"s3a://b/2026-11-21/05/{text}",)),
        AssetSurroundings(),
        is_output=False,
    ),
    "topics": lambda text: topics_read({"subscribe": text}),
    "interpolate": lambda text: interpolate(text, lambda name: None),
    "jaas": lambda text: parse(f"org.x.Module required {text}", "here"),
    "bootstrap.servers": lambda text: translate({"bootstrap.servers": text}),
    "bootstrap.servers, one of many": lambda text: translate({"bootstrap.servers": f"h:1,{text}"}),
    "sasl.jaas.config": lambda text: translate(
        {
            "bootstrap.servers": "h:1",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.jaas.config": text,
        }
    ),
}
"""Readers that take other things besides."""


def faults(read: Callable[[str], object], tried: Iterable[tuple[str, str]], part: int = 1) -> list[str]:
    """What is found with so many times less text."""
    return [found for head, unit in tried if (found := fault(read, head, unit, SIZE // part))]


SHARES = (1, pytest.param(0, marks=pytest.mark.nightly))
"""CI tries with each pattern and function some of the texts, with the next one others; the rest is tried by night."""


def share(name: str, tried: Iterable[tuple[str, str]], number: int, one_of: int) -> list[tuple[str, str]]:
    """One of so many texts, by the name of what reads them; 0: all others."""
    first = zlib.crc32(name.encode()) % one_of
    return [each for at, each in enumerate(tried) if (at % one_of == first) == bool(number)]


@pytest.mark.parametrize("name", sorted(patterns()))
def test_a_pattern_is_linear(name: str) -> None:
    pattern, methods = patterns()[name]
    units = dict.fromkeys((*fillers(pattern.pattern), *FILLERS[::8]))
    tried = [("", unit) for unit in units]
    for method in sorted(methods):
        assert faults(partial(METHODS[method], pattern), tried, PART) == [], method


@pytest.mark.parametrize("number", SHARES)
@pytest.mark.parametrize("name", sorted(readers()))
def test_a_function_of_texts_is_linear(name: str, number: int) -> None:
    tried = share(name, [("", unit) for unit in FILLERS], number, one_of=9)
    assert faults(readers()[name], tried, PART) == []


@pytest.mark.parametrize("number", SHARES)
@pytest.mark.parametrize("name", BY_HAND)
def test_what_reads_hostile_texts_is_linear(name: str, number: int) -> None:
    tried = share(name, texts(), number, one_of=4 if name == "mask_text" else 12)
    assert faults(BY_HAND[name], tried) == []


def test_patterns_and_readers_are_found() -> None:
    names = " ".join([*patterns(), *readers()])
    for each in (
        "explaining.RULES",
        "datasets.paths",
        "systems.jdbc_urls",
        "secrets.mask_text",
        "secrets._without_users",
        "jdbc_urls.read_url",
    ):
        assert each in names
    assert len(patterns()) > 80


@pytest.mark.parametrize("pattern", ["a*a*a*!", r"\s+x", "a.*b.*c.*d"])
def test_a_pattern_that_is_not_linear_is_found(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert any(fault(compiled.search, "", unit, SIZE // PART) for unit in ("a", " ", "ab"))
