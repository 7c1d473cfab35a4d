"""Declare the formats of JDBC URLs, by kind of database: `FORMS`, and `REWRITTEN` for irregular ones.

URLs of other kinds are parsed as `//host:port/database?parameter=value`, also with `;` and `&` as separators.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlForm:
    """The format of the URLs of one kind of database.

    Attributes:
        rdbms_type: The type of dataset if it differs from the kind in the URL, so that all drivers lead to the same name.
        port: The default port; `ports_by` are those by the protocol before `//`.
        secure_port: The default port if the parameter `ssl` is true.
        starts: The characters that begin the parameters; `separators` are those that separate them, except within `quote`.
        databases: The parameters that name the database, in lower case and order of precedence. `schemas`, `hosts`, `ports`
            and `instances` likewise. Those in `host_overrides` override the host.
        region_host: The host of a region, with `{}` for the value of the parameter `region` or `awsregion`.
        levels: The meaning of the parts of a table's name, from the left.
        path: The meaning of the segments after the host.
        host_separator: The separator of hosts.
        last_port_for_all: True if a port after the last host applies to all hosts.
        database: The default database.
        ignores_case: True if the case of a database name in a URL is insignificant.
        options: The parameter with session options, which may contain the search path.
        defaults_to_localhost: True if a URL without host refers to `localhost` (`jdbc:postgresql:shop`).
        is_global: True if there is a single global system, so that the host is not part of a name.
        has_logins: True if `user:password@` may precede the host; else an `@` has another meaning.
    """

    rdbms_type: str | None = None
    port: int | None = None
    ports_by: tuple[tuple[str, int], ...] = ()
    secure_port: int | None = None
    starts: str = "?;"
    separators: str = "&;"
    quote: str = ""
    databases: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    host_overrides: tuple[str, ...] = ()
    region_host: str = ""
    levels: tuple[str, ...] = ("database", "schema", "table")
    path: tuple[str, ...] = ("database",)
    host_separator: str = ","
    last_port_for_all: bool = False
    database: str = ""
    ignores_case: bool = False
    options: str = ""
    defaults_to_localhost: bool = False
    is_global: bool = False
    has_logins: bool = True


ANY = UrlForm(databases=("databasename", "database"), schemas=("currentschema", "schema"))

_IN_DATABASES = ("database", "table")
_IN_SCHEMAS = ("schema", "table")
_IN_CATALOGS = ("database", "schema")
_GOOGLE = ("cloudsqlinstance", "alloydbinstancename")

_POSTGRESQL = UrlForm(
    port=5432,
    starts="?",
    databases=("pgdbname",),
    schemas=("currentschema",),
    hosts=("pghost",),
    ports=("pgport",),
    host_overrides=_GOOGLE,
    options="options",
    defaults_to_localhost=True,
)
_MYSQL = UrlForm(port=3306, starts="?", levels=_IN_DATABASES, host_overrides=_GOOGLE, defaults_to_localhost=True)
_SQLSERVER = UrlForm(
    port=1433,
    starts=";",
    separators=";",
    databases=("databasename", "database"),
    hosts=("servername", "server"),
    ports=("portnumber", "port"),
    instances=("instancename", "instance"),
    host_overrides=("socketfactoryconstructorarg",),
)
_DB2 = UrlForm(port=50000, starts=":;", separators=";", schemas=("currentschema",), ignores_case=True)
_TRINO = UrlForm(port=80, secure_port=443, path=_IN_CATALOGS, ignores_case=True)
_DATABRICKS = UrlForm(
    rdbms_type="databricks",
    port=443,
    separators=";",
    databases=("conncatalog",),
    schemas=("connschema",),
    path=("schema",),
    ignores_case=True,
)
_CLICKHOUSE = UrlForm(
    rdbms_type="clickhouse",
    port=8123,
    ports_by=(("https", 8443), ("grpc", 9100), ("tcp", 9000), ("native", 9000)),
    secure_port=8443,
    starts="?",
    databases=("database",),
    levels=_IN_DATABASES,
    database="default",
)
_ATHENA = UrlForm(
    rdbms_type="athena",
    port=443,
    separators=";",
    databases=("catalog",),
    schemas=("schema", "database"),
    region_host="athena.{}.amazonaws.com",
    path=_IN_CATALOGS,
    database="awsdatacatalog",
    ignores_case=True,
)
_CASSANDRA = UrlForm(
    rdbms_type="cassandra", port=9042, databases=("defaultkeyspace",), levels=_IN_DATABASES, host_separator="--"
)
_SEARCH = UrlForm(rdbms_type="elasticsearch", port=9200, levels=("table",), path=())
_INFORMIX = UrlForm(rdbms_type="informix", port=9088, starts=":;", separators=";", ignores_case=True)
_SPANNER = UrlForm(rdbms_type="spanner", port=443, levels=_IN_SCHEMAS)
_FIREBIRD = UrlForm(rdbms_type="firebird", port=3050, levels=_IN_DATABASES)
_PHOENIX = UrlForm(
    rdbms_type="phoenix",
    port=2181,
    separators=";",
    levels=_IN_SCHEMAS,
    path=(),
    last_port_for_all=True,
    has_logins=False,
)
_IN_A_CLUSTER = UrlForm(
    port=31010, separators=";", schemas=("schema",), levels=_IN_SCHEMAS, path=(), last_port_for_all=True
)
_PINOT = UrlForm(rdbms_type="pinot", port=9000, levels=("table",), path=())
_MONGODB = UrlForm(
    rdbms_type="mongodb", port=27017, databases=("database",), levels=_IN_DATABASES, defaults_to_localhost=True
)

FORMS: Mapping[str, UrlForm] = {
    "postgresql": _POSTGRESQL,
    "cockroachdb": replace(_POSTGRESQL, rdbms_type="postgresql", port=26257),
    "yugabytedb": replace(_POSTGRESQL, rdbms_type="postgresql", port=5433),
    "greenplum": replace(_POSTGRESQL, rdbms_type="postgresql", starts="?;", separators="&;", databases=("databasename",)),
    "opengauss": replace(_POSTGRESQL, rdbms_type="opengauss"),
    "crate": replace(_POSTGRESQL, rdbms_type="crate"),
    "redshift": replace(_POSTGRESQL, port=5439, starts="?;", host_overrides=()),
    "mysql": _MYSQL,
    "mysql+srv": replace(_MYSQL, rdbms_type="mysql"),
    "tidb": replace(_MYSQL, rdbms_type="mysql", port=4000),
    "mariadb": _MYSQL,
    "singlestore": replace(_MYSQL, host_overrides=()),
    "oceanbase": replace(_MYSQL, port=2881, host_overrides=()),
    "sqlserver": _SQLSERVER,
    "sybase": UrlForm(port=7100, databases=("databasename",)),
    "sqlanywhere": UrlForm(port=2638, separators=";", databases=("databasename", "dbn"), hosts=("host", "servername", "eng")),
    "db2": _DB2,
    "db2os390": replace(_DB2, rdbms_type="db2", port=446),
    "as400": UrlForm(port=446, starts=";", separators=";", databases=("database name",), path=("schema",), ignores_case=True),
    "derby": UrlForm(port=1527, starts=";", separators=";", databases=("databasename",)),
    "h2": UrlForm(port=9092, starts=";", separators=";", schemas=("schema",)),
    "hsqldb": UrlForm(port=9001, ports_by=(("hsqls", 554), ("http", 80), ("https", 443)), starts=";", separators=";"),
    "sqlite": UrlForm(starts="?", levels=_IN_SCHEMAS),
    "duckdb": UrlForm(starts=";?"),
    "teradata": UrlForm(
        port=1025,
        starts="?",
        separators=",",
        quote="'",
        databases=("database",),
        ports=("dbs_port",),
        levels=_IN_DATABASES,
        ignores_case=True,
    ),
    "snowflake": UrlForm(port=443, databases=("db", "database"), schemas=("schema",), ignores_case=True),
    "databricks": _DATABRICKS,
    "spark": _DATABRICKS,
    "hive2": UrlForm(port=10000, starts=";?#", separators=";", levels=_IN_DATABASES, database="default", ignores_case=True),
    "impala": UrlForm(port=21050, separators=";", levels=_IN_DATABASES, database="default", ignores_case=True),
    "presto": _TRINO,
    "trino": _TRINO,
    "clickhouse": _CLICKHOUSE,
    "ch": _CLICKHOUSE,
    "vertica": UrlForm(port=5433, schemas=("searchpath",)),
    "netezza": UrlForm(port=5480, starts=";?", separators=";&", schemas=("schema",)),
    "sap": UrlForm(port=30015, databases=("databasename",), schemas=("currentschema",), ignores_case=True),
    "saphana": UrlForm(rdbms_type="sap", port=30015, databases=("databasename",), ignores_case=True),
    "informix-sqli": _INFORMIX,
    "informix-direct": _INFORMIX,
    "ids": _INFORMIX,
    "bigquery": UrlForm(
        separators=";",
        databases=("projectid",),
        schemas=("defaultdataset",),
        is_global=True,
    ),
    "athena": _ATHENA,
    "awsathena": _ATHENA,
    "cassandra": _CASSANDRA,
    "mongodb": _MONGODB,
    "mongodb+srv": _MONGODB,
    "firebird": _FIREBIRD,
    "firebirdsql": _FIREBIRD,
    "phoenix": _PHOENIX,
    "phoenix+zk": _PHOENIX,
    "phoenix+master": replace(_PHOENIX, port=16000),
    "phoenix+rpc": replace(_PHOENIX, port=16000),
    "exa": replace(_IN_A_CLUSTER, rdbms_type="exasol", port=8563, starts=";"),
    "ignite": UrlForm(port=10800, schemas=("schema",), levels=_IN_SCHEMAS, path=("schema",)),
    "druid": UrlForm(port=8888, levels=_IN_SCHEMAS, path=()),
    "avatica": UrlForm(port=8765, levels=_IN_SCHEMAS, path=()),
    "pinot": _PINOT,
    "pinotgrpc": _PINOT,
    "dremio": _IN_A_CLUSTER,
    "drill": _IN_A_CLUSTER,
    "arrow-flight-sql": UrlForm(port=32010, databases=("catalog",), schemas=("schema",)),
    "denodo": UrlForm(port=9999, levels=_IN_DATABASES),
    "vdb": UrlForm(rdbms_type="denodo", port=9999, levels=_IN_DATABASES),
    "es": _SEARCH,
    "elasticsearch": _SEARCH,
    "opensearch": replace(_SEARCH, rdbms_type="opensearch"),
    "cloudspanner": _SPANNER,
    "spanner": _SPANNER,
    "salesforce": UrlForm(port=443, separators=";", levels=("table",), path=()),
}  # fmt: skip

ORACLE = UrlForm(port=1521, starts="?;", databases=("servicename", "sid"), ignores_case=True)

WRAPPERS = frozenset(
    {"aws-wrapper", "cdata", "datadirect", "jtds", "log4jdbc", "otel", "p6spy", "pivotal", "tc", "weblogic"}
)
"""Drivers that wrap another driver: the rest is the URL of the database."""
SEMICOLONS = frozenset({"cdata", "datadirect", "weblogic"})
"""Instrumentor drivers that separate parameters only by `;`, unlike the database's own driver."""


def wrap(form: UrlForm) -> UrlForm:
    """Return the format of a database's URL with a driver in `SEMICOLONS`."""
    databases = (*form.databases, "databasename", "database", "servicename", "sid")
    hosts, ports = (*form.hosts, "server", "servername"), (*form.ports, "port", "portnumber")
    return replace(form, starts=";", separators=";", databases=databases, hosts=hosts, ports=ports)


REWRITTEN: Mapping[str, tuple[re.Pattern[str], str]] = {
    # //host/DATABASE=db,USER=me
    "teradata": (re.compile(r"^(//[^/?]*)/(?=[^,/]*=)"), r"\1?"),
    # the region in place of the port: //cluster:us-west-2/db
    "redshift": (re.compile(r"^(?:iam:)?//([\w-]+):([a-z]{2}(?:-[a-z]+)+-\d)(?![^/?;])"), r"//\1.\2"),
    "cloudspanner": (re.compile(r"^/(?!/)"), "//spanner.googleapis.com/"),
    "sybase": (re.compile(r"(?i)^tds:(?!//)"), "//"),
    "exa": (re.compile(r"^(?!//)"), "//"),
    # host/3050:/data/shop.fdb; a single letter is a drive
    "firebirdsql": (re.compile(r"^(?!embedded:|local:)(?:[a-z_]+:)?(?!//)([\w.-]{2,})(?:/(\d+))?:(?!//)"), r"//\1:\2/"),
    "dremio": (re.compile(r"^(?:direct|zk)="), "//"),
    "drill": (re.compile(r"^(?:drillbit|zk)="), "//"),
    "avatica": (re.compile(r"^remote:url=(?:https?://)?"), "//"),
    # quorum:2181:/hbase:principal:keytab, thin:url=http://host:8765
    "phoenix": (re.compile(r"^(?:thin:url=(?:https?://)?|(?!//)(?!thin:)(?=.))"), "//"),
    "ignite": (re.compile(r"^thin:(?=//)"), ""),
}
"""Substitutions that convert the beginning of a URL, after its kind, to `//host`."""
REWRITTEN = {**REWRITTEN, **{f"phoenix+{how}": REWRITTEN["phoenix"] for how in ("zk", "master", "rpc")}}

NARROWED: Mapping[str, tuple[re.Pattern[str], str]] = {"avatica": (re.compile(r"/druid/"), "druid")}
"""Patterns in the URLs of a driver for several systems that identify the system."""

CANONICAL: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    # the private endpoint of an account, and the spelling of its name in a host
    "snowflake": ((re.compile(r"\.privatelink(?=\.snowflakecomputing\.)"), ""), (re.compile(r"_"), "-")),
    "exasol": ((re.compile(r"/.*|\.\.\d+$"), ""),),  # a fingerprint, a range of hosts
    # the name of an AlloyDB instance
    "postgresql": (
        (re.compile(r"projects/([^/]*)/locations/([^/]*)/clusters/([^/]*)/instances/([^/]*)"), r"\1:\2:\3:\4"),
    ),
}
"""Substitutions that convert the different names of a host to one, by `rdbms_type`."""
