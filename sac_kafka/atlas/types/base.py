"""What every other type is made of."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    Family,
    Propagation,
    RelationshipDef,
    each,
)

BASE = Family(
    name="base",
    order=0,
    service_type="atlas_core",
    entities=(
        EntityDef(
            "Referenceable",
            (),
            "Whatever has a name that is unique among its kind.",
            (
                AttributeDef("qualifiedName", is_mandatory=True, is_unique=True, is_indexed=True),
                *each(
                    "array<AtlasServer>",
                    "replicatedFrom",
                    "replicatedTo",
                    cardinality=Cardinality.SET,
                    options={"isSoftReference": "true"},
                ),
            ),
        ),
        EntityDef(
            "Asset",
            ("Referenceable",),
            "A thing that people look for: it has a name, an owner and a description.",
            (
                AttributeDef("name", is_mandatory=True, is_indexed=True, index_type="STRING"),
                AttributeDef("description"),
                *each("string", "owner", "displayName", "userDescription", is_indexed=True, index_type="STRING"),
            ),
        ),
        EntityDef(
            "ddl",
            ("Referenceable",),
            "A statement that defined something.",
            (
                AttributeDef("queryText", is_mandatory=True, is_indexed=True),
                AttributeDef("execTime", "date", is_mandatory=True),
                *each("string", "userName", "serviceType", is_mandatory=True, is_indexed=True),
            ),
        ),
        EntityDef("DataSet", ("Asset",), "Data that processes read and write: what lineage connects."),
        EntityDef("Infrastructure", ("Asset",), "What data lives or runs on."),
        EntityDef(
            "Process",
            ("Asset",),
            "A flow from datasets to datasets.",
            each("array<DataSet>", "inputs", "outputs", cardinality=Cardinality.SET),
        ),
        EntityDef("Path", ("DataSet",), "A dataset that has a place in a file system or an object store."),
        EntityDef("ProcessExecution", ("Asset",), "One run of a process."),
        EntityDef(
            "AtlasServer",
            (),
            "An Atlas server that metadata is replicated from or to.",
            (
                *each("string", "name", "displayName", is_mandatory=True, is_indexed=True),
                AttributeDef("fullName", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("urls", "array<string>"),
                AttributeDef("additionalInfo", "map<string,string>"),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "dataset_process_inputs",
            Category.AGGREGATION,
            (
                End("Process", "inputs", Cardinality.SET, is_container=True, is_legacy=True),
                End("DataSet", "inputToProcesses", Cardinality.SET),
            ),
            propagation=Propagation.TWO_TO_ONE,
        ),
        RelationshipDef(
            "process_dataset_outputs",
            Category.AGGREGATION,
            (
                End("Process", "outputs", Cardinality.SET, is_container=True, is_legacy=True),
                End("DataSet", "outputFromProcesses", Cardinality.SET),
            ),
            propagation=Propagation.ONE_TO_TWO,
        ),
    ),
)
