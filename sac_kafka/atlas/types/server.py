"""What a server keeps for itself: audit, imports, users' searches. We send none of it; a server that starts empty needs it."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import (
    AttributeDef,
    Cardinality,
    Category,
    End,
    EntityDef,
    EnumDef,
    Family,
    RelationshipDef,
    each,
)

SERVER = Family(
    name="server",
    order=10,
    service_type="atlas_core",
    enums=(
        EnumDef(
            "atlas_operation",
            "What the server's audit tells apart.",
            (
                (0, "OTHERS"),
                (1, "PURGE"),
                (2, "EXPORT"),
                (3, "IMPORT"),
                (4, "IMPORT_DELETE_REPL"),
                (5, "TYPE_DEF_CREATE"),
                (6, "TYPE_DEF_UPDATE"),
                (7, "TYPE_DEF_DELETE"),
                (8, "SERVER_START"),
                (9, "SERVER_STATE_ACTIVE"),
                (10, "AUTO_PURGE"),
            ),
        ),
    ),
    entities=(
        EntityDef("__internal", (), "What the server keeps for itself."),
        EntityDef(
            "__AtlasUserProfile",
            ("__internal",),
            "A user of the server.",
            (
                AttributeDef("name", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("fullName"),
                AttributeDef(
                    "savedSearches",
                    "array<__AtlasUserSavedSearch>",
                    cardinality=Cardinality.SET,
                    constraints=("ownedRef",),
                ),
            ),
        ),
        EntityDef(
            "__AtlasUserSavedSearch",
            ("__internal",),
            "A search that a user has kept.",
            (
                *each("string", "name", "ownerName", is_mandatory=True),
                AttributeDef("searchType", is_mandatory=True, is_indexed=True),
                AttributeDef("uniqueName", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("searchParameters", is_mandatory=True),
                AttributeDef("uiParameters"),
            ),
        ),
        EntityDef(
            "__AtlasMetricsStat",
            ("__internal",),
            "Counts of the catalog at a point of time.",
            (
                AttributeDef("metricsId", is_mandatory=True, is_unique=True, is_indexed=True),
                AttributeDef("metrics"),
                *each("long", "collectionTime", "timeToLiveMillis", is_indexed=True),
            ),
        ),
        EntityDef(
            "__ExportImportAuditEntry",
            ("__internal",),
            "An export or an import of metadata.",
            (
                AttributeDef("userName"),
                AttributeDef("operation", is_mandatory=True, is_indexed=True),
                *each("string", "sourceServerName", "targetServerName", "operationParams", is_indexed=True),
                AttributeDef("operationStartTime", "long", is_mandatory=True, is_indexed=True),
                AttributeDef("operationEndTime", "long", is_indexed=True),
                AttributeDef("resultSummary"),
            ),
        ),
        EntityDef(
            "__AtlasAuditEntry",
            ("__internal",),
            "An administrative act on the server.",
            (
                AttributeDef("userName", is_mandatory=True, is_indexed=True),
                AttributeDef("operation", "atlas_operation", is_mandatory=True, is_indexed=True),
                AttributeDef("startTime", "date", is_mandatory=True, is_indexed=True),
                AttributeDef("endTime", "date", is_indexed=True),
                *each("string", "clientId", "params", is_indexed=True),
                AttributeDef("result"),
                AttributeDef("resultCount", "long", is_indexed=True),
            ),
        ),
        EntityDef(
            "__AtlasAsyncImportRequest",
            ("__internal",),
            "An import that runs in the background.",
            (
                AttributeDef("requestId", is_mandatory=True, is_unique=True, is_indexed=True),
                *each("string", "importId", "status", is_mandatory=True, is_indexed=True),
                AttributeDef("importDetails"),
                *each("string", "startEntityPosition", "importResult", is_mandatory=True),
                *each("string", "receivedTime", "stagedTime", is_mandatory=True),
                *each("string", "processingStartTime", "completedTime", is_mandatory=True),
            ),
        ),
    ),
    relationships=(
        RelationshipDef(
            "__AtlasUserProfile_savedsearches",
            Category.COMPOSITION,
            (
                End("__AtlasUserProfile", "savedSearches", Cardinality.SET, is_container=True, is_legacy=True),
                End("__AtlasUserSavedSearch", "userProfile", Cardinality.SINGLE),
            ),
        ),
    ),
)
