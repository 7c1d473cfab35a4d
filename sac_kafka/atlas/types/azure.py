"""Azure Data Lake Storage Gen2."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import AttributeDef, EntityDef, EnumDef, Family, composition, each

# What directories and blobs have in common, in the order of Atlas' model file.
_HEADERS = each("string", "contentEncoding", "contentDisposition", "cacheControl", is_indexed=True)
_STORED = (
    *each("date", "lastModifiedTime", "creationTime", is_indexed=True),
    AttributeDef("contentLength", "long", is_indexed=True),
    *each("string", "contentMd5", "accessTier", "prefix", is_indexed=True),
    AttributeDef("remainingRetentionDays", "long", is_indexed=True),
)

AZURE = Family(
    name="azure",
    order=3010,
    service_type="azure",
    enums=(
        EnumDef(
            "adls_gen2_performance", "The performance class of a storage account.", ((0, "Standard"), (1, "Premium"))
        ),
        EnumDef("adls_gen2_access_tier", "How quickly data can be read.", ((0, "Cool"), (1, "Hot"))),
        EnumDef(
            "adls_gen2_replication",
            "How copies of the data are spread.",
            ((0, "LRS"), (1, "ZRS"), (2, "GRS"), (3, "GZRS"), (4, "RA-GRS")),
        ),
        EnumDef(
            "adls_gen2_authentication_method",
            "How the portal shows the data of a container.",
            ((0, "Access Key"), (1, "Azure AD User Account")),
        ),
    ),
    entities=(
        EntityDef("adls_gen2_parent", (), "What holds directories and blobs: a container or a directory."),
        EntityDef("adls_gen2_child", (), "What is in a container or a directory."),
        EntityDef(
            "adls_gen2_account",
            ("Asset",),
            "A storage account. It is no DataSet: nothing flows into an account.",
            (
                *each("string", "resourceGroup", "status", "location", "subscription", is_indexed=True),
                AttributeDef("tags", "map<string,string>", search_weight=6),
                AttributeDef("performance", "adls_gen2_performance", is_indexed=True),
                AttributeDef("accessTier", "adls_gen2_access_tier", is_indexed=True),
                AttributeDef("replication", "adls_gen2_replication", is_indexed=True),
                AttributeDef("accountKind", is_indexed=True),
                *each("boolean", "isSecureTransferRequired", "isLargeFileSharesEnabled"),
                *each("boolean", "isIdentityBasedAccessForFileSharesEnabled", "isHierarchicalNamespaceEnabled"),
                AttributeDef("isNfsV3", "boolean"),
                AttributeDef("skuName", is_indexed=True),
            ),
        ),
        EntityDef(
            "adls_gen2_container",
            ("DataSet", "adls_gen2_parent"),
            "A container of a storage account.",
            (
                *each("string", "url", "eTag", is_indexed=True),
                AttributeDef("authenticationMethod", "adls_gen2_authentication_method", is_indexed=True),
                AttributeDef("additionalProperties", "map<string,string>"),
                AttributeDef("lastModifiedTime", "date", is_indexed=True),
                AttributeDef("publicAccess", is_indexed=True),
            ),
        ),
        EntityDef(
            "adls_gen2_directory",
            ("DataSet", "adls_gen2_parent", "adls_gen2_child", "Path"),
            "A directory of a container.",
            (
                *each("string", "eTag", "contentType", is_indexed=True),
                *_HEADERS,
                *_STORED,
                AttributeDef("type", is_indexed=True),
                AttributeDef("additionalProperties", "map<string,string>"),
            ),
        ),
        EntityDef(
            "adls_gen2_blob",
            ("DataSet", "adls_gen2_child"),
            "A file of a container.",
            (
                *each("string", "url", "type", "eTag", "contentType", is_indexed=True),
                AttributeDef("additionalProperties", "map<string,string>"),
                *_STORED,
                *_HEADERS,
            ),
        ),
    ),
    relationships=(
        composition("adls_gen2_account_containers", "adls_gen2_account.containers", "adls_gen2_container.account"),
        composition("adls_gen2_parent_children", "adls_gen2_parent.children", "adls_gen2_child.parent"),
    ),
)
