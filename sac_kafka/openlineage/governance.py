"""Read what people say of jobs and datasets: owners and tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.masking import mask_text
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
        label = _NOT_IN_LABELS.sub("_", _text_of(each)).strip("_")[:WORD_LENGTH]
        if label and value_of(each, "key") not in _TECHNICAL and not each.get("field"):
            yield label


def _text_of(tag: Mapping[str, object]) -> str:
    """Return a tag as text; secrets are masked, before others follow, which would be masked with them."""
    key, value = value_of(tag, "key"), value_of(tag, "value")
    return mask_text(key if value.lower() in ("", "true", key.lower()) else f"{key}={value}")


def list_tags(datasets: Iterable[tuple[NamespacedName, StampedFacets]]) -> str:
    """Return the tags of datasets and their columns as masked text: `mart.report: tier1; mart.report.mail: pii=high`."""
    tags: dict[str, dict[str, None]] = {}
    for name, facets in datasets:
        for item in objects(facet(facets, "tags").get("tags")):
            if value_of(item, "key"):
                place = ".".join(filter(None, (name.name, value_of(item, "field"))))
                tags.setdefault(mask_text(place), {})[_text_of(item)] = None
    return "; ".join(f"{name}: {', '.join(texts)}" for name, texts in tags.items())
