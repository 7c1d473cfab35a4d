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
        called: The `rdbms_type` if it differs from the kind in the URL, so that all drivers lead to the same name.
        port: The default port; `ports_by` are those by the protocol before `//`.
        secure_port: The default port if the parameter `ssl` is true.
        ends: The characters that begin the parameters; `between` are those that separate them, except within `quote`.
        databases: The parameters that name the database, in lower case and order of precedence. `schemas`, `hosts`, `ports`
            and `instances` likewise. Those in `instead` override the host.
        region_host: The host of a region, with `{}` for the value of the parameter `region` or `awsregion`.
        levels: The meaning of the parts of a table's name, from the left.
        path: The meaning of the segments after the host.
        hosts_between: The separator of hosts.
        port_of_all: True if a port after the last host applies to all hosts.
        database: The default database.
        folds: True if the case of a database name in a URL is insignificant.
        options: The parameter with session options, which may contain the search path.
        is_local_alone: True if a URL without host refers to `localhost` (`jdbc:postgresql:shop`).
        is_one: True if there is a single global system, so that the host is not part of a name.
        has_logins: True if `user:password@` may precede the host; else an `@` has another meaning.
    """

    called: str | None = None
    port: int | None = None
    ports_by: tuple[tuple[str, int], ...] = ()
    secure_port: int | None = None
    ends: str = "?;"
    between: str = "&;"
    quote: str = ""
    databases: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    region_host: str = ""
    levels: tuple[str, ...] = ("database", "schema", "table")
    path: tuple[str, ...] = ("database",)
    hosts_between: str = ","
    port_of_all: bool = False
    database: str = ""
    folds: bool = False
    options: str = ""
    is_local_alone: bool = False
    is_one: bool = False
    has_logins: bool = True


ANY = UrlForm(databases=("databasename", "database"), schemas=("currentschema", "schema"))

_IN_DATABASES = ("database", "table")
_IN_SCHEMAS = ("schema", "table")
_IN_CATALOGS = ("database", "schema")
_GOOGLE = ("cloudsqlinstance", "alloydbinstancename")

_POSTGRESQL = UrlForm(
    port=5432,
    ends="?",
    databases=("pgdbname",),
    schemas=("currentschema",),
    hosts=("pghost",),
    ports=("pgport",),
    instead=_GOOGLE,
    options="options",
    is_local_alone=True,
)
_MYSQL = UrlForm(port=3306, ends="?", levels=_IN_DATABASES, instead=_GOOGLE, is_local_alone=True)
_SQLSERVER = UrlForm(
    port=1433,
    ends=";",
    between=";",
    databases=("databasename", "database"),
    hosts=("servername", "server"),
    ports=("portnumber", "port"),
    instances=("instancename", "instance"),
    instead=("socketfactoryconstructorarg",),
)
_DB2 = UrlForm(port=50000, ends=":;", between=";", schemas=("currentschema",), folds=True)
_TRINO = UrlForm(port=80, secure_port=443, path=_IN_CATALOGS, folds=True)
_DATABRICKS = UrlForm(
    called="databricks",
    port=443,
    between=";",
    databases=("conncatalog",),
    schemas=("connschema",),
    path=("schema",),
    folds=True,
)
_CLICKHOUSE = UrlForm(
    called="clickhouse",
    port=8123,
    ports_by=(("https", 8443), ("grpc", 9100), ("tcp", 9000), ("native", 9000)),
    secure_port=8443,
    ends="?",
    databases=("database",),
    levels=_IN_DATABASES,
    database="default",
)
_ATHENA = UrlForm(
    called="athena",
    port=443,
    between=";",
    databases=("catalog",),
    schemas=("schema", "database"),
    region_host="athena.{}.amazonaws.com",
    path=_IN_CATALOGS,
    database="awsdatacatalog",
    folds=True,
)
_CASSANDRA = UrlForm(
    called="cassandra", port=9042, databases=("defaultkeyspace",), levels=_IN_DATABASES, hosts_between="--"
)
_SEARCH = UrlForm(called="elasticsearch", port=9200, levels=("table",), path=())
_INFORMIX = UrlForm(called="informix", port=9088, ends=":;", between=";", folds=True)
_SPANNER = UrlForm(called="spanner", port=443, levels=_IN_SCHEMAS)
_FIREBIRD = UrlForm(called="firebird", port=3050, levels=_IN_DATABASES)
_PHOENIX = UrlForm(
    called="phoenix", port=2181, between=";", levels=_IN_SCHEMAS, path=(), port_of_all=True, has_logins=False
)
_IN_A_CLUSTER = UrlForm(port=31010, between=";", schemas=("schema",), levels=_IN_SCHEMAS, path=(), port_of_all=True)
_PINOT = UrlForm(called="pinot", port=9000, levels=("table",), path=())
_MONGODB = UrlForm(called="mongodb", port=27017, databases=("database",), levels=_IN_DATABASES, is_local_alone=True)

FORMS: Mapping[str, UrlForm] = {
    "postgresql": _POSTGRESQL,
    "cockroachdb": replace(_POSTGRESQL, called="postgresql", port=26257),
    "yugabytedb": replace(_POSTGRESQL, called="postgresql", port=5433),
    "greenplum": replace(_POSTGRESQL, called="postgresql", ends="?;", between="&;", databases=("databasename",)),
    "opengauss": replace(_POSTGRESQL, called="opengauss"),
    "crate": replace(_POSTGRESQL, called="crate"),
    "redshift": replace(_POSTGRESQL, port=5439, ends="?;", instead=()),
    "mysql": _MYSQL,
    "mysql+srv": replace(_MYSQL, called="mysql"),
    "tidb": replace(_MYSQL, called="mysql", port=4000),
    "mariadb": _MYSQL,
    "singlestore": replace(_MYSQL, instead=()),
    "oceanbase": replace(_MYSQL, port=2881, instead=()),
    "sqlserver": _SQLSERVER,
    "sybase": UrlForm(port=7100, databases=("databasename",)),
    "sqlanywhere": UrlForm(port=2638, between=";", databases=("databasename", "dbn"), hosts=("host", "servername", "eng")),
    "db2": _DB2,
    "db2os390": replace(_DB2, called="db2", port=446),
    "as400": UrlForm(port=446, ends=";", between=";", databases=("database name",), path=("schema",), folds=True),
    "derby": UrlForm(port=1527, ends=";", between=";", databases=("databasename",)),
    "h2": UrlForm(port=9092, ends=";", between=";", schemas=("schema",)),
    "hsqldb": UrlForm(port=9001, ports_by=(("hsqls", 554), ("http", 80), ("https", 443)), ends=";", between=";"),
    "sqlite": UrlForm(ends="?", levels=_IN_SCHEMAS),
    "duckdb": UrlForm(ends=";?"),
    "teradata": UrlForm(
        port=1025,
        ends="?",
        between=",",
        quote="'",
        databases=("database",),
        ports=("dbs_port",),
        levels=_IN_DATABASES,
        folds=True,
    ),
    "snowflake": UrlForm(port=443, databases=("db", "database"), schemas=("schema",), folds=True),
    "databricks": _DATABRICKS,
    "spark": _DATABRICKS,
    "hive2": UrlForm(port=10000, ends=";?#", between=";", levels=_IN_DATABASES, database="default", folds=True),
    "impala": UrlForm(port=21050, between=";", levels=_IN_DATABASES, database="default", folds=True),
    "presto": _TRINO,
    "trino": _TRINO,
    "clickhouse": _CLICKHOUSE,
    "ch": _CLICKHOUSE,
    "vertica": UrlForm(port=5433, schemas=("searchpath",)),
    "netezza": UrlForm(port=5480, ends=";?", between=";&", schemas=("schema",)),
    "sap": UrlForm(port=30015, databases=("databasename",), schemas=("currentschema",), folds=True),
    "saphana": UrlForm(called="sap", port=30015, databases=("databasename",), folds=True),
    "informix-sqli": _INFORMIX,
    "informix-direct": _INFORMIX,
    "ids": _INFORMIX,
    "bigquery": UrlForm(
        between=";",
        databases=("projectid",),
        schemas=("defaultdataset",),
        is_one=True,
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
    "exa": replace(_IN_A_CLUSTER, called="exasol", port=8563, ends=";"),
    "ignite": UrlForm(port=10800, schemas=("schema",), levels=_IN_SCHEMAS, path=("schema",)),
    "druid": UrlForm(port=8888, levels=_IN_SCHEMAS, path=()),
    "avatica": UrlForm(port=8765, levels=_IN_SCHEMAS, path=()),
    "pinot": _PINOT,
    "pinotgrpc": _PINOT,
    "dremio": _IN_A_CLUSTER,
    "drill": _IN_A_CLUSTER,
    "arrow-flight-sql": UrlForm(port=32010, databases=("catalog",), schemas=("schema",)),
    "denodo": UrlForm(port=9999, levels=_IN_DATABASES),
    "vdb": UrlForm(called="denodo", port=9999, levels=_IN_DATABASES),
    "es": _SEARCH,
    "elasticsearch": _SEARCH,
    "opensearch": replace(_SEARCH, called="opensearch"),
    "cloudspanner": _SPANNER,
    "spanner": _SPANNER,
    "salesforce": UrlForm(port=443, between=";", levels=("table",), path=()),
}  # fmt: skip

ORACLE = UrlForm(port=1521, ends="?;", databases=("servicename", "sid"), folds=True)

WRAPPERS = frozenset(
    {"aws-wrapper", "cdata", "datadirect", "jtds", "log4jdbc", "otel", "p6spy", "pivotal", "tc", "weblogic"}
)
"""Drivers that wrap another driver: the rest is the URL of the database."""
SEMICOLONS = frozenset({"cdata", "datadirect", "weblogic"})
"""Wrapping drivers that separate parameters only by `;`, unlike the database's own driver."""


def wrapped(form: UrlForm) -> UrlForm:
    """Return the format of a database's URL with a driver in `SEMICOLONS`."""
    databases = (*form.databases, "databasename", "database", "servicename", "sid")
    hosts, ports = (*form.hosts, "server", "servername"), (*form.ports, "port", "portnumber")
    return replace(form, ends=";", between=";", databases=databases, hosts=hosts, ports=ports)


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
