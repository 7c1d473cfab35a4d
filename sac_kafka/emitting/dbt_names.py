"""Name the databases of dbt projects, from profiles.yml, as dbt's OpenLineage integration names them.

Source: `openlineage.common.provider.dbt.processor.DbtArtifactProcessor.extract_namespace` of openlineage-dbt 1.54. Only the
keys that `ADAPTERS` names are read of a profile: no passwords.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sac_kafka.errors import FlowError

_Profile = Mapping[str, Any]
_FIX = "pass --dbt-namespace, such as postgres://db1:5432"
_ENV_VAR = re.compile(r"""\{\{\s*env_var\(\s*(['"])(\w+)\1\s*(?:,\s*(?:'([^']*)'|"([^"]*)")\s*)?\)[^{}]*\}\}""")
_MOTHERDUCK = "md:"
_EXTENSION = re.compile(rf"(?!{_MOTHERDUCK})(\w{{2,}}):(?!//)", re.ASCII)
"""What precedes the path of a database that an extension of DuckDB reads, such as postgres: or ducklake:."""
_TEMPLATE = re.compile(r"\{\{|\{%")


@dataclass(frozen=True, slots=True)
class Adapter:
    """How a database is named, by the keys of a profile, and the dialect of sqlglot in which its SQL is parsed."""

    namespace: Callable[[_Profile], str]
    dialect: str


def _server(scheme: str, host: str = "host", port: int | None = None) -> Callable[[_Profile], str]:
    """Return a function from a profile to `scheme://host:port`."""

    def namespace(profile: _Profile) -> str:
        found = profile.get("port", port)
        return f"{scheme}://{profile[host]}{f':{found}' if found else ''}"

    return namespace


def _snowflake(profile: _Profile) -> str:
    account, *where = str(profile["account"]).split(".")
    if "-" in account:
        return f"snowflake://{account}"
    if not where:
        where = ["us-west-1", "aws"]
    elif len(where) == 1:
        where = [where[0], "aws"]
    return f"snowflake://{'.'.join((account, *where))}"


def _spark(profile: _Profile) -> str:
    by_method = {"http": 443, "odbc": 443, "thrift": 10001}
    return f"spark://{profile['host']}:{profile.get('port') or by_method[profile['method']]}"


def _glue(profile: _Profile) -> str:
    return f"arn:aws:glue:{profile['region']}:{profile.get('account_id') or str(profile['role_arn']).split(':')[4]}"


ADAPTERS: Mapping[str, Adapter] = {
    "athena": Adapter(lambda p: f"awsathena://athena.{p['region_name']}.amazonaws.com", "athena"),
    "bigquery": Adapter(lambda _: "bigquery", "bigquery"),
    "clickhouse": Adapter(_server("clickhouse", port=8123), "clickhouse"),
    "databricks": Adapter(lambda p: f"databricks://{p['host']}", "databricks"),
    "dremio": Adapter(_server("dremio", "software_host", 443), "dremio"),
    "duckdb": Adapter(lambda p: f"duckdb://{p['path']}", "duckdb"),
    "fabric": Adapter(_server("fabric-warehouse", "server"), "tsql"),
    "glue": Adapter(_glue, "spark"),
    "mysql": Adapter(_server("mysql", "server", 3306), "mysql"),
    "oracle": Adapter(_server("oracle", port=1521), "oracle"),
    "postgres": Adapter(_server("postgres", port=5432), "postgres"),
    "presto": Adapter(_server("presto", port=8080), "presto"),
    "redshift": Adapter(_server("redshift", port=5439), "redshift"),
    "snowflake": Adapter(_snowflake, "snowflake"),
    "spark": Adapter(_spark, "spark"),
    "sqlserver": Adapter(_server("mssql", "server", 1433), "tsql"),
    "synapse": Adapter(_server("mssql", "server", 1433), "tsql"),
    "teradata": Adapter(_server("teradata", port=1025), "teradata"),
    "trino": Adapter(_server("trino", port=8080), "trino"),
    "watsonx_presto": Adapter(_server("presto", port=8080), "presto"),
}
"""One row per adapter type of dbt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DbtRun:
    """What a run of dbt states about its profile: the adapter, the project's directory, and the arguments of the command."""

    adapter: str
    project: Path
    profiles_dir: str = ""
    profile: str = ""
    target: str = ""


def namespace_of(run: DbtRun) -> str:
    """Return the OpenLineage namespace of the database of a run.

    Raises:
        FlowError: The adapter is unknown, or its profile cannot be read.
    """
    adapter = ADAPTERS.get(run.adapter)
    if adapter is None:
        raise FlowError(f"adapter {run.adapter!r}: unknown; {_FIX}")
    if run.adapter == "bigquery":
        return adapter.namespace({})
    file, profile = _profile(run)
    try:
        namespace = str(adapter.namespace(profile))
    except (KeyError, IndexError, TypeError) as error:
        raise FlowError(f"{file}: the profile of {run.adapter} has no {error}; {_FIX}") from None
    if _TEMPLATE.search(namespace):
        raise FlowError(f"{file}: {namespace} has a template that cannot be resolved here; {_FIX}")
    if run.adapter == "duckdb":
        path = str(profile["path"])
        if path.startswith(":memory:"):
            raise FlowError(f"{file}: path = {path}: no other job can read a database in memory; name a file")
        return _of_file(run, path)
    return namespace


def _of_file(run: DbtRun, path: str) -> str:
    is_remote = "://" in path or path.startswith(_MOTHERDUCK)
    return f"duckdb://{path.partition('?')[0] if is_remote else (run.project / path).as_posix()}"  # ?motherduck_token=…


def attached_namespaces(run: DbtRun) -> dict[str, str]:
    """Return the namespaces of the files that the profile of a run attaches to its DuckDB, by the names of their databases.

    What is in memory, or read by an extension of DuckDB, is no such file.

    Raises:
        FlowError: The profile cannot be read.
    """
    attached = _profile(run)[1].get("attach") if run.adapter == "duckdb" else None
    found = {}
    for each in attached if isinstance(attached, list) else ():
        path = _render(str(each.get("path") or "")) if isinstance(each, Mapping) else ""
        kind = each.get("type") or (_EXTENSION.match(path) or ("", "duckdb"))[1] if path else ""
        if str(kind).lower() == "duckdb" and not path.startswith(":memory:"):  # a server's address is no file
            name = path.partition("?")[0].rpartition("/")[2].removeprefix(_MOTHERDUCK)
            alias = str(each.get("alias") or name.partition(".")[0])
            found[alias.lower()] = _of_file(run, path)
    return found


def _profile(run: DbtRun) -> tuple[Path, _Profile]:
    """Return the profile that dbt has used, and its file."""
    files = [*_files(run)]
    file = next((each for each in files if each.is_file()), None)
    if file is None:
        searched = ", ".join(dict.fromkeys(str(each.parent) for each in files))
        raise FlowError(f"profiles.yml: in none of {searched}; name --dbt-profiles-dir, or {_FIX}")
    name = run.profile or str(_yaml(run.project / "dbt_project.yml").get("profile", ""))
    found = _yaml(file).get(name)
    if not isinstance(found, Mapping):
        raise FlowError(f"{file}: no profile {name!r}; {_FIX}")
    target = run.target or _render(str(found.get("target", "default")))
    outputs = found.get("outputs")
    profile = outputs.get(target) if isinstance(outputs, Mapping) else None
    if not isinstance(profile, Mapping):
        raise FlowError(f"{file}: profile {name!r} has no output {target!r}; {_FIX}")
    return file, {str(key): _render(each) if isinstance(each, str) else each for key, each in profile.items()}


def _files(run: DbtRun) -> Iterator[Path]:
    named = (run.profiles_dir, os.environ.get("DBT_PROFILES_DIR", ""))
    for directory in (*(run.project / each for each in named if each), run.project, Path(os.path.expanduser("~/.dbt"))):  # noqa: PTH111
        yield directory / "profiles.yml"


def _yaml(file: Path) -> _Profile:
    try:
        import yaml
    except ImportError:
        raise FlowError(f"{file}: reading it needs PyYAML (pip install pyyaml); or {_FIX}") from None
    try:
        loaded = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__  # the text of the error may quote a password
        raise FlowError(f"{file}: cannot be read ({reason}); {_FIX}") from None
    return loaded if isinstance(loaded, Mapping) else {}


def _render(text: str) -> str:
    """Return a text with the values of environment variables, the only template that profiles usually have."""

    def value(found: re.Match[str]) -> str:
        stated = [text for text in found.groups()[2:] if text is not None]
        return os.environ.get(found[2], stated[0] if stated else found[0])

    return _ENV_VAR.sub(value, text)
