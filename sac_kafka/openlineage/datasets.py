"""Turn the datasets of a run into datasets of the model, with the columns and tables that their facets state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sac_kafka.model import Column, Dataset, PathDataset, RdbmsDataset, TableDataset
from sac_kafka.model.cache import HashedTuple
from sac_kafka.model.merging import merge
from sac_kafka.names.openlineage_names import LinkedName, OpenLineageName, dataset_of
from sac_kafka.names.paths import Patterns
from sac_kafka.openlineage.events import NamespacedName, name_of, objects, value_of
from sac_kafka.openlineage.governance import owners_of
from sac_kafka.openlineage.own_facets import DATASET, dataset_of_identity, others_of
from sac_kafka.openlineage.runs import Datasets, StampedFacets, facet

NOT_NAMED = "dataset whose name does not identify it: "
MAX_COMMENT = 4_000
_MAX_NAMESPACE = 100


@dataclass(slots=True)
class NamedDatasets:
    """The datasets of one run by their OpenLineage names. `unnamed` are the names of those that are no dataset of the model."""

    patterns: Patterns
    counts: Counter[str]
    namespaces: Mapping[str, str]
    by_name: dict[NamespacedName, Dataset] = field(default_factory=dict)
    unnamed: list[str] = field(default_factory=list)

    def add(self, datasets: Datasets) -> tuple[Dataset, ...]:
        """Return datasets of the model, sorted by key; each once, with what all its names state about it."""
        known: dict[str, Dataset] = {}
        for name, facets in datasets.items():
            dataset = self._dataset(name, facets)
            if dataset is not None:
                seen = known.get(dataset.key)
                known[dataset.key] = dataset if seen is None else merge(seen, dataset)
            for other in others_of(facet(facets, DATASET)):
                known.setdefault(other.key, other)
        return tuple(known[key] for key in sorted(known))

    def key(self, name: NamespacedName) -> str | None:
        """Return the key of a dataset; None if it is no dataset of the model."""
        dataset = self.find(name)
        return dataset.key if dataset is not None else None

    def find(self, name: NamespacedName) -> Dataset | None:
        """Return a dataset; None if it is no dataset of the model."""
        return self.by_name.get(name) or self._dataset(name, {})

    def _name(self, name: NamespacedName, links: tuple[OpenLineageName, ...] = ()) -> LinkedName:
        return LinkedName(self.namespaces.get(name.namespace, name.namespace), name.name, links)

    def _dataset(self, name: NamespacedName, facets: StampedFacets) -> Dataset | None:
        known = self.by_name.get(name)
        if known is not None and not facets:
            return known
        links = tuple(
            self._name(link)
            for identifier in objects(facet(facets, "symlinks").get("identifiers"))
            if identifier.get("type", "TABLE") == "TABLE" and (link := name_of(identifier)) is not None
        )
        columns = columns_of(facets)
        stated = dataset_of_identity(facet(facets, DATASET), columns)
        dataset = _described(stated or dataset_of(self._name(name, links), columns, self.patterns), facets)
        if dataset is None:
            if name.name not in self.unnamed:
                self.unnamed.append(name.name)
                scheme = name.namespace.partition("://")[0][:_MAX_NAMESPACE]
                self.counts[f"{NOT_NAMED}{scheme or 'no namespace'}"] += 1
            return None
        self.by_name[name] = dataset if known is None or known.key != dataset.key else merge(known, dataset)
        return dataset


def _described(dataset: Dataset | None, facets: StampedFacets) -> Dataset | None:
    """Return a dataset with what its facets say of it for people, if its class has a place for it."""
    if not isinstance(dataset, TableDataset | RdbmsDataset):
        return dataset
    comment = value_of(facet(facets, "documentation"), "description")[:MAX_COMMENT]
    owner = owners_of(facet(facets, "ownership"))
    return replace(dataset, comment=comment or None, owner=owner or None) if comment or owner else dataset


def columns_of(facets: StampedFacets) -> tuple[Column, ...]:
    """Return the columns in the facet `schema`, each name once; of nested ones only the outermost."""
    columns: dict[str, Column] = {}
    for stated in objects(facet(facets, "schema").get("fields")):
        name, kind, comment = (stated.get(key) for key in ("name", "type", "description"))
        if isinstance(name, str) and name:
            columns.setdefault(
                name,
                Column(
                    name=name,
                    type=kind if isinstance(kind, str) else "",
                    comment=comment[:MAX_COMMENT] if isinstance(comment, str) and comment else None,
                ),
            )
    return HashedTuple(columns.values())


def number(facets: StampedFacets, name: str, *keys: str) -> int | None:
    """Return the first of these numbers in a facet; None if it has none."""
    value = facet(facets, name)
    values = (value.get(key) for key in keys)
    return next(
        (value_ for value_ in values if isinstance(value_, int) and not isinstance(value_, bool) and value_ >= 0), None
    )


def mark_replacement(dataset: Dataset) -> Dataset:
    """Return an output whose columns are complete, because all its data was replaced."""
    return replace(dataset, is_replaced=True) if isinstance(dataset, PathDataset) and dataset.columns else dataset
