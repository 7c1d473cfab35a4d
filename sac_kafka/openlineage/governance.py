"""Read what people say of jobs and datasets: owners and tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.openlineage.events import NamespacedName, objects, value_of
from sac_kafka.openlineage.runs import StampedFacets, facet
from sac_kafka.settings.content import WORD_LENGTH

_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9_-]+")
_MAX = 20
_TECHNICAL = frozenset({"openlineage_client_version"})


def owners_of(facet: Mapping[str, object]) -> str:
    """Return the names of owners, separated by commas."""
    return ", ".join(dict.fromkeys(name for each in objects(facet.get("owners")) if (name := value_of(each, "name"))))


def labels_of(facet: Mapping[str, object]) -> tuple[str, ...]:
    """Return the tags of the facet `tags` that are not of a column as labels in Atlas' form (rule R21), at most 20.

    >>> labels_of({"tags": [{"key": "tier1", "value": "true"}, {"key": "domain", "value": "sales & co"}]})
    ('tier1', 'domain_sales_co')
    """
    return tuple(dict.fromkeys(_labels(facet)))[:_MAX]


def _labels(facet: Mapping[str, object]) -> Iterator[str]:
    for each in objects(facet.get("tags")):
        key, value = value_of(each, "key"), value_of(each, "value")
        words = (key,) if value.lower() in ("", "true", key.lower()) else (key, value)
        label = _NOT_IN_LABELS.sub("_", "_".join(words)).strip("_")[:WORD_LENGTH]
        if label and key not in _TECHNICAL and not each.get("field"):
            yield label


def list_tags(datasets: Iterable[tuple[NamespacedName, StampedFacets]]) -> str:
    """Return the tags of datasets and their columns as text, such as `mart.report: tier1; mart.report.mail: pii=high`."""
    tags: dict[str, dict[str, None]] = {}
    for name, facets in datasets:
        for item in objects(facet(facets, "tags").get("tags")):
            key, value, column = value_of(item, "key"), value_of(item, "value"), value_of(item, "field")
            if key:
                text = key if value.lower() in ("", "true", key.lower()) else f"{key}={value}"
                tags.setdefault(f"{name.name}.{column}" if column else name.name, {})[text] = None
    return "; ".join(f"{name}: {', '.join(texts)}" for name, texts in tags.items())
