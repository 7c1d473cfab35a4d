"""Explain for `sac-kafka config --explain` whether a dataset, job or user is excluded, and by which rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from sac_kafka.hook.pipeline_options import segment_patterns, selection_of
from sac_kafka.model import (
    SESSION_CATALOG,
    Dataset,
    HBaseDataset,
    OtherDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.names.jdbc_urls import is_known, rdbms_table
from sac_kafka.names.paths import root
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.rules import DATASETS, JOB, KINDS, USER
from sac_kafka.stages.filters.names import parts
from sac_kafka.stages.filters.rulings import DEFAULT, INCLUDE, Ruling, Selection

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")
_OTHER = re.compile(r"(?:([^:/]*):)?(?://([^/]*)/)?(.*)", re.DOTALL)
_FILE_SYSTEMS = frozenset(
    {"file", "hdfs", "viewfs", "webhdfs", "s3", "s3a", "s3n", "abfs", "abfss", "wasb", "wasbs", "adl", "gs", "dbfs"}
    | {"oss", "cos", "cosn", "obs", "ofs", "o3fs", "maprfs", "swift"}
)
_SUBJECT = re.compile(rf"(?i)({'|'.join((*DATASETS, JOB, USER))}):(.*)", re.DOTALL)


def explain(name: str, settings: Settings, place: Callable[[str], str]) -> Iterator[dict[str, object]]:
    """Yield whether a name is captured as a JSON object per kind of dataset that it may refer to.

    The name may begin with a subject, such as `path:`; `place` returns where a key is set.
    """
    selection = selection_of(settings.filters)
    for subject, text in meant(name):
        ruling = _ruling(subject, text, selection, settings)
        yield {
            "asked": name,
            "kind": subject,
            "name": text,
            "is_kept": ruling.is_kept,
            "rule": "" if ruling.rule is None else str(ruling.rule),
            "setting": ruling.setting,
            "text": _explanation(subject, text, ruling, place),
        }


def meant(name: str) -> Iterator[tuple[str, str]]:
    """Yield the subjects that a name may refer to, with the name for each."""
    found, scheme = _SUBJECT.fullmatch(name), _SCHEME.match(name)
    before, colon, _ = name.partition(":")
    if found:
        yield found[1].lower(), found[2]
    elif is_known(before) and colon:
        yield "jdbc", name
        yield "other", name
    elif scheme or name.startswith("/"):
        yield "path", name
        if scheme and scheme[1].lower() not in _FILE_SYSTEMS:
            yield "other", name
    elif colon:
        yield "hbase", name
        if "/" in name:
            yield "other", name
    else:
        yield "table", name
        yield "topic", name


def _ruling(subject: str, text: str, selection: Selection, settings: Settings) -> Ruling:
    if subject == JOB:
        return selection.job(text)
    if subject == USER:
        return selection.user(text)
    return selection.dataset(dataset_of(subject, text, settings))


def dataset_of(subject: str, text: str, settings: Settings) -> Dataset:
    """Return the dataset that a text refers to, as typed or as displayed by the catalog; `subject` as of `meant`."""
    return DATASET_BY_SUBJECT[subject](text.removesuffix(f"@{settings.names.namespace}"), settings)


def path(text: str, settings: Settings) -> PathDataset:
    """Return the dataset of a path."""
    return PathDataset(path=root(text, segment_patterns(settings.names)), format="", locations=(text,))


def table(text: str, settings: Settings) -> TableDataset:
    """Return the table; its catalog may be given by its name in Spark."""
    *before, name = parts(text) or (text,)
    catalog = before[0] if len(before) > 1 and before[0] != SESSION_CATALOG else None
    called = dict(settings.names.catalog_names).get(catalog or SESSION_CATALOG, catalog)
    catalog = None if called == SESSION_CATALOG else called
    return TableDataset(catalog=catalog, database=".".join(before[len(before) > 1 :]) or "default", name=name)


def jdbc_table(text: str, _: Settings) -> RdbmsDataset:
    """Return the table of a JDBC URL."""
    place, _slash, table = text.rpartition("/")
    return rdbms_table(f"jdbc:{place}", parts(table) or (table,)) or RdbmsDataset(
        rdbms_type="", database="", table=table, schema=None
    )


def topic(text: str, _: Settings) -> TopicDataset:
    """Return the topic of a name."""
    return TopicDataset(topic=text)


def hbase_table(text: str, _: Settings) -> HBaseDataset:
    """Return the HBase table `namespace:table`."""
    namespace, _colon, table = text.rpartition(":")
    return HBaseDataset(namespace=namespace or "default", table=table)


def other(text: str, _: Settings) -> OtherDataset:
    """Return the dataset `system://host/part/part`."""
    found = _OTHER.fullmatch(text)
    system, host, below = (found[1] or "", found[2] or "", found[3]) if found else ("", "", text)
    return OtherDataset(system=system, host=host, parts=tuple(below.split("/")))


DATASET_BY_SUBJECT: Mapping[str, Callable[[str, Settings], Dataset]] = MappingProxyType(
    {"table": table, "path": path, "topic": topic, "jdbc": jdbc_table, "hbase": hbase_table, "other": other}
)
"""By `KindOfDataset.word` the function that returns the dataset of a name."""


def _explanation(subject: str, text: str, ruling: Ruling, place: Callable[[str], str]) -> str:
    if ruling.rule is None:
        if ruling.is_kept:
            return "captured: no rule matches"
        kind = next((name for name, kind_subject in KINDS.items() if kind_subject == subject), "")
        add = f"kind:{kind}" if ruling.what == "kind" else f"{subject}:{text}"
        return f"excluded: not listed in {INCLUDE} [{place(INCLUDE)}]; add {add} there"
    if ruling.setting == DEFAULT:
        return f"excluded by the default rule {ruling.rule}; {DEFAULT} = false disables the default rules"
    done = "captured" if ruling.is_kept else "excluded"
    return f"{done} by {ruling.rule} of {ruling.setting} [{place(ruling.setting)}]"
