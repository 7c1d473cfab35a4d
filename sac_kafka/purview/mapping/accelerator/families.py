"""Map the parts of a namespace and a name to fields of rules, by system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sac_kafka.purview.mapping.accelerator.tokens import (
    BODY,
    BODY_FROM,
    GROUPS,
    HOST_PARTS,
    PREFIX,
    VALUES,
    WORKSPACE,
    MappingToken,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Templates of the parts of a system's names, and the conditions by which a rule selects the system.

    Attributes:
        match: Conditions that select the system.
        body: Templates of the parts of the namespace.
        name: Template of the whole name, if it is one group.
        parts: Templates of the parts of the name, if they are certain.
        groups: Templates of the groups of the name, if it has several.
        values: Templates of the values of the namespace by key.
        has_schema: The schema is optional: the name has one or two parts.
    """

    match: Mapping[str, str]
    body: tuple[str, ...]
    name: str
    parts: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    has_schema: bool = False

    def with_schema(self) -> Family:
        """Return the family for tables that have a schema."""
        pair = ("{schema}", "{table}")
        return replace(self, name="{schema}.{table}", parts=pair, groups=pair, has_schema=False)

    def template(self, token: MappingToken) -> str | None:
        """Return the template of a token; "" if no dataset has it, None if rules cannot express it."""
        if token.name == PREFIX:
            return "{scheme}" if "scheme" in self.match else None
        if token.name == WORKSPACE:
            return "{workspace}"
        if token.name == BODY:
            return self.body[token.number] if token.number < len(self.body) else ""
        if token.name == BODY_FROM:
            return "/".join(self.body[token.number :])
        if token.name == HOST_PARTS:
            return f"{{host.{token.number + 1}}}" if "{host}" in self.body else None
        if token.name == VALUES:
            return self.values.get(token.key.lower().replace("databasename", "database"))
        if token.name != GROUPS:
            return None
        if token.is_parts:
            return self.parts[token.part] if token.number == 0 and token.part < len(self.parts) else None
        return self.groups[token.number] if token.number < len(self.groups) else self.name if token.number == 0 else ""


def _store(scheme: str) -> Family:
    return Family(match={"scheme": scheme}, body=("{container}", "{host}"), name="{path}")


def _bucket(scheme: str) -> Family:
    return Family(match={"scheme": scheme}, body=("{container}",), name="{path}")


def _tree(scheme: str, *body: str) -> Family:
    return Family(match={"scheme": scheme}, body=body, name="/{path}")


def _database(scheme: str) -> Family:
    return Family(
        match={"scheme": scheme},
        body=("{host}", "{port}", *(() if scheme == "sqlserver" else ("{database}",))),
        name="{table}",
        parts=("{table}",),
        values={"database": "{database}"},
        has_schema=True,
    )


_DATABASES = ("sqlserver", "postgresql", "mysql", "mariadb", "oracle", "db2", "teradata", "redshift")
FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        **{scheme: _store(scheme) for scheme in ("abfss", "wasbs")},
        **{scheme: _bucket(scheme) for scheme in ("s3", "gs")},
        "adl": _tree("adl", "{host}"),
        "hdfs": _tree("hdfs", "{host}", "{port}"),
        "dbfs": _tree("dbfs"),
        "file": _tree("file"),
        **{scheme: _database(scheme) for scheme in _DATABASES},
        "snowflake": Family(
            match={"scheme": "snowflake"},
            body=("{host}", "{port}"),
            name="{database | upper}.{schema}.{table}",
            parts=("{database | upper}", "{schema}", "{table}"),
        ),
        "azurekusto": Family(match={"connector": "kusto"}, body=("{host}", "{path.1}"), name="{path.2}", parts=("{path.2}",)),
        "azurecosmos": Family(
            match={"connector": "cosmos"}, body=("{host}", "dbs", "{path.1}"), name="colls/{path.2}", parts=("colls", "{path.2}")
        ),
        "kafka": Family(match={"kind": "topic"}, body=("{host}", "{port}"), name="{topic}"),
    }
)  # fmt: skip
"""Families by prefix (`mappings.canonical_prefix`)."""

_WAREHOUSE = "*/hive/warehouse"
WAREHOUSE = replace(
    FAMILIES["dbfs"],
    match={"scheme": "dbfs", "path": f"{_WAREHOUSE}/{{hive_table}}/**"},
    parts=("user", "hive", "warehouse", "{hive_table}"),
)
"""Tables of the database `default` in the Hive warehouse on DBFS."""
WAREHOUSE_OF_DATABASES = replace(
    FAMILIES["dbfs"],
    match={"scheme": "dbfs", "path": f"{_WAREHOUSE}/{{hive_database}}.db/{{hive_table}}/**"},
    parts=("user", "hive", "warehouse", "{hive_database}", "db", "{hive_table}"),
)
"""Tables of other databases in the Hive warehouse on DBFS."""
