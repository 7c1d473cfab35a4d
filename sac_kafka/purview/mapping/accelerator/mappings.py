"""Apply a mapping of the accelerator as a rule: conditions on tokens, and a name composed of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.accelerator.names import open_lineage_name
from sac_kafka.purview.mapping.accelerator.tokens import PREFIX, MappingToken, NameParts, parts, value_key
from sac_kafka.purview.mapping.dataset_fields import DatasetFields, canonical_scheme

_CANONICAL_DATABASES = {"postgres": "postgresql", "mssql": "sqlserver"}
COMPARISONS = ("=", "!=", "contains", ">", "<")


def canonical_prefix(text: str) -> str:
    """Return the canonical prefix of a system.

    >>> canonical_prefix("jdbc:oracle:thin:"), canonical_prefix("postgres"), canonical_prefix("abfs")
    ('oracle', 'postgresql', 'abfss')
    """
    name = text.strip().lower().removeprefix("jdbc:").partition(":")[0]
    return _CANONICAL_DATABASES.get(name, canonical_scheme(name))


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition on the value of a token; `>` and `<` compare its number of parts."""

    token: MappingToken
    compare: str
    value: str

    def holds(self, name: NameParts) -> bool:
        """Return True if a name meets the condition; a token without a value counts as an empty string."""
        texts = self.token.texts(name)
        if self.compare in (">", "<"):
            return len(texts) > int(self.value) if self.compare == ">" else len(texts) < int(self.value)
        text, value = texts[0] if texts else "", self.value
        if self.token.name == PREFIX:
            text, value = canonical_prefix(text), canonical_prefix(value)
        if self.compare == "contains":
            return value in text
        return (text == value) is (self.compare == "=")


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceleratorMapping:
    """A mapping of the file: `title` is its name there, `pieces` its template."""

    title: str
    place: str
    conditions: tuple[Condition, ...]
    pieces: tuple[str | MappingToken, ...]
    type_name: str

    @property
    def description(self) -> str:
        """Title of the mapping, with its place."""
        return f"{self.title} ({self.place})" if self.title else self.place

    def asset(self, fields: DatasetFields, driver_values: Mapping[str, str]) -> Asset | None:
        """Return the asset of a dataset; None if the mapping does not match or a token has no value."""
        namespace_and_name = open_lineage_name(fields)
        if namespace_and_name is None:
            return None
        name = parts(*namespace_and_name, driver_values.get("workspace", ""))
        if "database" in fields.values:  # mappings may refer to it by key for every system
            name = NameParts(
                name.prefix,
                name.body,
                name.host,
                {**name.values, value_key("database"): fields.values["database"]},
                name.groups,
                name.workspace,
            )
        if not all(each.holds(name) for each in self.conditions):
            return None
        texts = [(each,) if isinstance(each, str) else each.texts(name)[:1] for each in self.pieces]
        qualified_name = "".join(text for each in texts for text in each)
        if not all(texts) or not qualified_name:
            return None
        return Asset(
            type_name=self.type_name,
            qualified_name=qualified_name,
            name=fields.values.get("name") or qualified_name.rpartition("/")[2] or qualified_name,
            rule=self.description,
        )
