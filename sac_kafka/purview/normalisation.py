"""Normalise qualified names by the rules that Purview applies while it scans.

Letters of paths and tables stay as they are: Purview tells `Orders` from `orders`. The rules are those of the concept page
on asset normalisation and of an account's default rule set, version 5.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass

from sac_kafka.purview.asset import Asset

_BLOB = {"azure_storage_account", "azure_blob_service", "azure_blob_container", "azure_blob_path"}
_GEN1 = {"azure_datalake_gen1_account", "azure_datalake_gen1_path"}
_GEN2 = {"azure_datalake_gen2_service", "azure_datalake_gen2_filesystem", "azure_datalake_gen2_path"}
_FILES = {"azure_file_service", "azure_file_share", "azure_file_directory", "azure_file"}
_S3 = {"aws_s3_v2_bucket", "aws_s3_v2_directory", "aws_s3_v2_object"}
_SETS = {
    *("azure_blob_resource_set", "azure_datalake_gen1_resource_set", "azure_datalake_gen2_resource_set"),
    *("azure_file_resource_set", "aws_s3_v2_resource_set"),
}
"""Resource sets are derived from normalised names, although the published rules do not mention them."""
_SQL_PARTS = {
    *("azure_sql_db", "azure_sql_schema", "azure_sql_table", "azure_sql_column"),
    *("azure_sql_dw", "azure_sql_dw_schema", "azure_sql_dw_table", "azure_sql_dw_column"),
    *("azure_sql_mi", "azure_sql_mi_db", "azure_sql_mi_schema", "azure_sql_mi_table", "azure_sql_mi_column"),
}
_DATABASES = {
    *("azure_sql_server", "azure_cosmosdb_account", "azure_cosmosdb_database", "azure_cosmosdb_sqlapi_collection"),
    *("azure_data_explorer_cluster", "azure_data_explorer_database", "azure_data_explorer_table"),
    "azure_data_explorer_column",
}
_SEARCH = {"azure_cognitive_search_service", "azure_cognitive_search_index"}
_SHARES = {"ads_account", "ads_share", "ads_share_subscription", "ads_org_dataset", "ads_sent_snapshot"}
_FACTORY = {
    *("azure_data_factory", "adf_pipeline", "adf_activity_operation"),
    *(f"adf_{each}_activity" for each in ("dataflow", "copy", "executeSsisPackage")),
    *(f"adf_{each}_activity_run" for each in ("dataflow", "copy", "executeSsisPackage")),
    *(f"adf_{each}_operation" for each in ("dataflow", "copy", "executeSsisPackage")),
}
_ASSETS = frozenset(_BLOB | _GEN1 | _GEN2 | _FILES | _S3 | _SETS | _SQL_PARTS | _DATABASES)
_PATHS = frozenset(
    {"azure_blob_path", "azure_datalake_gen1_path", "azure_datalake_gen2_path", "azure_file", "aws_s3_v2_object"}
)
_FOLDERS = frozenset({"azure_file_directory", "aws_s3_v2_directory"})
_ROOTS = frozenset((_BLOB | _GEN1 | _GEN2 | _FILES | _S3) - _PATHS - _FOLDERS)

_SPACES = re.compile(r"(\s+)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_BEFORE_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_SLASHES = re.compile(r"(?<=[^:])/{2,}")
_EXTENSION = re.compile(r"\.[^./\s]{2,5}\Z")
_HTTP = re.compile(r"\Ahttps?://")
_SEPARATORS = frozenset("/:.")
_FACTORY_LEVELS = frozenset({"subscriptions", "resourceGroups", "providers", "factories", "pipelines", "activities"})


@dataclass(frozen=True, slots=True)
class Normalisation:
    """A rule of Purview's, by the name that it has there; `becomes` gives what a name of one of the types becomes."""

    name: str
    types: frozenset[str]
    becomes: Callable[[str], str]


def trimmed(text: str) -> str:
    """Remove white space at the ends and next to slashes, colons and dots."""
    parts = _SPACES.split(text)  # texts and, between them, white space
    for i in range(1, len(parts), 2):
        before, after = parts[i - 1][-1:], parts[i + 1][:1]
        if not before or not after or before in _SEPARATORS or after in _SEPARATORS:
            parts[i] = ""
    return "".join(parts)


def small_extension(text: str) -> str:
    """Convert the extension of the last segment to lower case.

    >>> small_extension("https://a.dfs.core.windows.net/c/Orders.CSV")
    'https://a.dfs.core.windows.net/c/Orders.csv'
    """
    found = _EXTENSION.search(text[-7:])
    return text if found is None else text[: len(text) - len(found[0])] + found[0].lower()


def encoded_brackets(text: str) -> str:
    """Encode curly brackets, except those of resource sets."""
    return text.replace("{", "%7B").replace("}", "%7D")


def _on_host(change: Callable[[str], str]) -> Callable[[str], str]:
    def becomes(text: str) -> str:
        scheme = _BEFORE_HOST.match(text)
        if scheme is None:
            return text
        begin = scheme.end()
        ends = [end for end in (text.find("/", begin), text.find(":", begin)) if end >= 0]
        end = min(ends, default=len(text))
        return f"{text[:begin]}{change(text[begin:end])}{text[end:]}"

    return becomes


def _small_scheme(text: str) -> str:
    found = _SCHEME.match(text)
    return text if found is None else found[0].lower() + text[found.end() :]


def _without_square_brackets(text: str) -> str:
    return "/".join(_unbracketed(section) for section in text.split("/"))


def _unbracketed(section: str) -> str:
    """Remove paired brackets and encode the spaces in them."""
    closed = _closed(section)
    depth, found = 0, []
    for i, character in enumerate(section):
        if i in closed:
            depth += 1 if character == "[" else -1
        else:
            found.append("%20" if depth and character == " " else character)
    return "".join(found)


def _closed(section: str) -> frozenset[int]:
    open_ones: list[int] = []
    found: list[int] = []
    for i, character in enumerate(section):
        if character == "[":
            open_ones.append(i)
        elif character == "]" and open_ones:
            found += (open_ones.pop(), i)
    return frozenset(found)


def _small_factory_parts(text: str) -> str:
    sections = text.split("/")
    for i, level in enumerate(sections[:-1]):
        if level in _FACTORY_LEVELS:
            sections[i + 1] = sections[i + 1].lower()
    return "/".join(sections)


RULES: tuple[Normalisation, ...] = (
    Normalisation("Encode curly brackets", _PATHS | _FOLDERS, encoded_brackets),
    Normalisation("Trim Section Spaces", _ASSETS | _FACTORY | _SEARCH | _SHARES, trimmed),
    Normalisation("Remove Hostname Spaces", _ASSETS | _SHARES, _on_host(lambda host: "".join(host.split()))),
    Normalisation("Remove Square Brackets", frozenset(_SQL_PARTS), _without_square_brackets),
    Normalisation("Lowercase File Extension", _PATHS, small_extension),
    Normalisation("Lowercase hostname", _ASSETS, _on_host(str.lower)),
    Normalisation("Lowercase scheme", _ASSETS, _small_scheme),
    Normalisation("Remove double slash", _ASSETS | _FACTORY | _SEARCH | _SHARES, lambda text: _SLASHES.sub("/", text)),
    Normalisation("Lower case ADF Data", frozenset(_FACTORY), _small_factory_parts),
    Normalisation("Convert ADLSGen1 to adl scheme", frozenset(_GEN1), lambda text: _HTTP.sub("adl://", text)),
    Normalisation("Remove trailing slash", _ROOTS, lambda text: text.rstrip("/")),
)
"""Purview's rules in its order, and before and after them those that only its concept page has."""


def normalised_name(type_name: str, qualified_name: str) -> str:
    """Return the qualified name as Purview writes it; unchanged if no rule covers its type.

    >>> normalised_name("azure_blob_path", "HTTPS://Acct.Blob.core.windows.net/Raw//Orders.CSV")
    'https://acct.blob.core.windows.net/Raw/Orders.csv'
    """
    for rule in RULES:
        if type_name in rule.types:
            qualified_name = rule.becomes(qualified_name)
    return qualified_name


def normalised(asset: Asset) -> Asset:
    """Return the asset under its normalised name."""
    name = normalised_name(asset.type_name, asset.qualified_name)
    return asset if name == asset.qualified_name else dataclasses.replace(asset, qualified_name=name)
