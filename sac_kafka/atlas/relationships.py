"""The relationships that entities refer through: which relationshipDef stands behind which attribute of which type.

Only the ends of children and users are here, never an owner's list of its children: a server deletes the children that
such a list leaves out (R13). A server takes the first relationship of the attribute's name when the type is wrong, so
a wrong name here would go unnoticed; the tests compare the table with Atlas' model files.
"""

from __future__ import annotations

from types import MappingProxyType

INPUTS = "dataset_process_inputs"
OUTPUTS = "process_dataset_outputs"

RELATIONSHIPS = MappingProxyType(
    {
        # addons/models/0000-Area0/0010-base_model.json
        ("spark_process", "inputs"): INPUTS,
        ("spark_process", "outputs"): OUTPUTS,
        ("spark_column_lineage", "inputs"): INPUTS,
        ("spark_column_lineage", "outputs"): OUTPUTS,
        # addons/models/1000-Hadoop/1100-spark_model.json
        ("spark_process", "application"): "spark_application_processes",
        ("spark_column_lineage", "process"): "spark_process_column_lineages",
        ("spark_table", "db"): "spark_table_db",
        ("spark_column", "table"): "spark_table_columns",
        ("spark_storagedesc", "table"): "spark_table_storagedesc",
        # addons/models/1000-Hadoop/1065-avro_model.json
        ("avro_schema", "associatedEntities"): "avro_schema_associatedEntities",
        ("avro_field", "record"): "avro_record_fields",
    }
)
"""(type, relationship attribute) → name of the relationshipDef."""
