"""Paths of file systems."""

from __future__ import annotations

from sac_kafka.atlas.types.declaration import AttributeDef, EntityDef, EnumDef, Family, StructDef, each

FS = Family(
    name="fs",
    order=1000,
    service_type="file_system",
    enums=(
        EnumDef(
            "file_action",
            "What a permission of a file allows.",
            (
                (0, "NONE"),
                (1, "EXECUTE"),
                (2, "WRITE"),
                (3, "WRITE_EXECUTE"),
                (4, "READ"),
                (5, "READ_EXECUTE"),
                (6, "READ_WRITE"),
                (7, "ALL"),
            ),
        ),
    ),
    structs=(
        StructDef(
            "fs_permissions",
            "Who may do what with a file (POSIX).",
            (
                *each("file_action", "group", "user", is_mandatory=True, is_indexed=True),
                AttributeDef("sticky", "boolean", is_mandatory=True, is_indexed=True),
                AttributeDef("others", "file_action", is_mandatory=True, is_indexed=True),
            ),
        ),
    ),
    entities=(
        EntityDef(
            "fs_path",
            ("DataSet", "Path"),
            "A file or a directory of any file system.",
            (
                AttributeDef("path", is_mandatory=True, is_indexed=True, in_notification=True),
                *each("date", "createTime", "modifiedTime", is_indexed=True),
                AttributeDef("isFile", "boolean", is_indexed=True),
                AttributeDef("isSymlink", "boolean"),
                AttributeDef("fileSize", "long"),
                AttributeDef("group", is_indexed=True),
                AttributeDef("posixPermissions", "fs_permissions", is_indexed=True),
            ),
        ),
        EntityDef(
            "hdfs_path",
            ("fs_path",),
            "A file or a directory of a Hadoop file system.",
            (
                AttributeDef("clusterName", is_indexed=True, in_notification=True),
                AttributeDef("numberOfReplicas", "int", is_indexed=True),
                AttributeDef("extendedAttributes", "map<string,string>"),
                AttributeDef("nameServiceId", in_notification=True),
            ),
        ),
    ),
)
