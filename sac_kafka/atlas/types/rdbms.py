"""Relational databases."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import AttributeDef, EntityDef, Family, composition, each

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
                *each("string", "cloudOrOnPrem", "hostname"),
                AttributeDef("port", "int"),
                *each("string", "protocol", "contact_info", "comment"),
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
                *each("string", "comment", "type", "contact_info"),
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
                *each("string", "default_value", "comment"),
                *each("boolean", "isNullable", "isPrimaryKey"),
            ),
            options={
                "schemaAttributes": '["name", "description", "owner", "data_type", "comment", " isPrimaryKey", " isNullable"]'
            },
        ),
    ),
    relationships=(
        composition(
            "rdbms_instance_databases",
            "rdbms_instance.databases",
            "rdbms_db.instance",
            is_legacy=True,
            is_labelled=True,
        ),
        composition("rdbms_db_tables", "rdbms_db.tables", "rdbms_table.db", is_legacy=True, is_labelled=True),
        composition(
            "rdbms_table_columns", "rdbms_table.columns", "rdbms_column.table", is_legacy=True, is_labelled=True
        ),
    ),
)
