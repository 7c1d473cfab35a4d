"""Relational databases."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    Family,
    RelationshipDef,
)

RDBMS = Family(
    name="rdbms",
    order=2000,
    service_type="rdbms",
    entities=(
        EntityDef(
            "rdbms_instance",
            ("DataSet",),
            "A database server.",
            (
                AttributeDef("rdbms_type", is_mandatory=True, is_indexed=True),
                AttributeDef("platform", is_indexed=True),
                AttributeDef("cloudOrOnPrem"),
                AttributeDef("hostname"),
                AttributeDef("port", "int"),
                AttributeDef("protocol"),
                AttributeDef("contact_info"),
                AttributeDef("comment"),
            ),
        ),
        EntityDef(
            "rdbms_db",
            ("DataSet",),
            "A database of a server.",
            (
                AttributeDef("prodOrOther", is_indexed=True),
                AttributeDef("contact_info"),
            ),
        ),
        EntityDef(
            "rdbms_table",
            ("DataSet",),
            "A table or a view of a database.",
            (
                AttributeDef("name_path"),
                AttributeDef("createTime", "date"),
                AttributeDef("comment"),
                AttributeDef("type"),
                AttributeDef("contact_info"),
            ),
            options={"schemaElementsAttribute": "columns"},
        ),
        EntityDef(
            "rdbms_column",
            ("DataSet",),
            "A column of a table, which names its table.",
            (
                AttributeDef("data_type", is_indexed=True),
                AttributeDef("length", "int"),
                AttributeDef("default_value"),
                AttributeDef("comment"),
                AttributeDef("isNullable", "boolean"),
                AttributeDef("isPrimaryKey", "boolean"),
            ),
            options={
                "schemaAttributes": '["name", "description", "owner", "data_type", "comment", " isPrimaryKey", " isNullable"]'
            },
        ),
    ),
    relationships=(
        RelationshipDef(
            "rdbms_instance_databases",
            Category.COMPOSITION,
            (
                End("rdbms_instance", "databases", Cardinality.SET, is_container=True, is_legacy=True),
                End("rdbms_db", "instance", Cardinality.SINGLE, is_legacy=True),
            ),
            label="__rdbms_instance.databases",
        ),
        RelationshipDef(
            "rdbms_db_tables",
            Category.COMPOSITION,
            (
                End("rdbms_db", "tables", Cardinality.SET, is_container=True, is_legacy=True),
                End("rdbms_table", "db", Cardinality.SINGLE, is_legacy=True),
            ),
            label="__rdbms_db.tables",
        ),
        RelationshipDef(
            "rdbms_table_columns",
            Category.COMPOSITION,
            (
                End("rdbms_table", "columns", Cardinality.SET, is_container=True, is_legacy=True),
                End("rdbms_column", "table", Cardinality.SINGLE, is_legacy=True),
            ),
            label="__rdbms_table.columns",
        ),
    ),
)
