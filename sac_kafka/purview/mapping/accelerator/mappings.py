"""A mapping of the accelerator as a rule: conditions on tokens, and a name made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.mapping.accelerator.names import open_lineage_name
from sac_kafka.purview.mapping.accelerator.tokens import PREFIX, MappingToken, NameParts, parts, value_key
from sac_kafka.purview.mapping.dataset_fields import DatasetFields, one_scheme

_ONE_DATABASE = {"postgres": "postgresql", "mssql": "sqlserver"}
COMPARISONS = ("=", "!=", "contains", ">", "<")


def one_prefix(text: str) -> str:
    """The one prefix of all that stand for a system.

    >>> one_prefix("jdbc:oracle:thin:"), one_prefix("postgres"), one_prefix("abfs")
    ('oracle', 'postgresql', 'abfss')
    """
    name = text.strip().lower().removeprefix("jdbc:").partition(":")[0]
    return _ONE_DATABASE.get(name, one_scheme(name))


@dataclass(frozen=True, slots=True)
class Condition:
    """What a token has to be; `>` and `<` are about how many parts it has."""

    token: MappingToken
    compare: str
    value: str

    def holds(self, of: NameParts) -> bool:
        """Return True if the condition holds; a token without a value is an empty text."""
        texts = self.token.texts(of)
        if self.compare in (">", "<"):
            return len(texts) > int(self.value) if self.compare == ">" else len(texts) < int(self.value)
        text, value = texts[0] if texts else "", self.value
        if self.token.name == PREFIX:
            text, value = one_prefix(text), one_prefix(value)
        if self.compare == "contains":
            return value in text
        return (text == value) is (self.compare == "=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """A mapping: `title` is its name in the file, `pieces` its template."""

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
        named = open_lineage_name(fields)
        if named is None:
            return None
        of = parts(*named, driver_values.get("workspace", ""))
        if "database" in fields.values:  # in whatever part of the namespace a mapping expects it
            of = NameParts(
                of.prefix,
                of.body,
                of.host,
                {**of.values, value_key("database"): fields.values["database"]},
                of.groups,
                of.workspace,
            )
        if not all(each.holds(of) for each in self.conditions):
            return None
        texts = [(each,) if isinstance(each, str) else each.texts(of)[:1] for each in self.pieces]
        qualified_name = "".join(text for each in texts for text in each)
        if not all(texts) or not qualified_name:
            return None
        return Asset(
            type_name=self.type_name,
            qualified_name=qualified_name,
            name=fields.values.get("name") or qualified_name.rpartition("/")[2] or qualified_name,
            rule=self.description,
        )
