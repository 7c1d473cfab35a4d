"""Normalise qualified names by the rules that Purview applies while it scans.

The case of paths and tables is preserved, as Purview distinguishes `Orders` from `orders`. The rules are those of the concept
page on asset normalisation and of an account's default rule set, version 5.
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


@dataclass(frozen=True, slots=True)
class Normalisation:
    """A normalisation rule under its name in Purview; `apply` normalises a qualified name of one of `types`."""

    name: str
    types: frozenset[str]
    apply: Callable[[str], str]


def trim(text: str) -> str:
    """Remove white space at the ends and next to slashes, colons and dots."""
    parts = _SPACES.split(text)  # white space at the odd indices
    for i in range(1, len(parts), 2):
        before, after = parts[i - 1][-1:], parts[i + 1][:1]
        if not before or not after or before in _SEPARATORS or after in _SEPARATORS:
            parts[i] = ""
    return "".join(parts)


def lowercase_extension(text: str) -> str:
    """Convert the extension of the last segment to lower case.

    >>> lowercase_extension("https://a.dfs.core.windows.net/c/Orders.CSV")
    'https://a.dfs.core.windows.net/c/Orders.csv'
    """
    found = _EXTENSION.search(text[-7:])
    return text if found is None else text[: len(text) - len(found[0])] + found[0].lower()


def encoded_brackets(text: str) -> str:
    """Encode the curly brackets of a name, so that only patterns of resource sets contain literal ones."""
    return text.replace("{", "%7B").replace("}", "%7D")


def _on_host(change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a function that applies a change to the host of a URL only."""

    def apply(text: str) -> str:
        scheme = _BEFORE_HOST.match(text)
        if scheme is None:
            return text
        begin = scheme.end()
        ends = [end for end in (text.find("/", begin), text.find(":", begin)) if end >= 0]
        end = min(ends, default=len(text))
        return f"{text[:begin]}{change(text[begin:end])}{text[end:]}"

    return apply


def _lowercase_scheme(text: str) -> str:
    found = _SCHEME.match(text)
    return text if found is None else found[0].lower() + text[found.end() :]


def _without_square_brackets(text: str) -> str:
    return "/".join(_remove_brackets(section) for section in text.split("/"))


def _remove_brackets(section: str) -> str:
    """Remove paired brackets and encode the spaces in them."""
    paired = _pair_brackets(section)
    depth, found = 0, []
    for i, character in enumerate(section):
        if i in paired:
            depth += 1 if character == "[" else -1
        else:
            found.append("%20" if depth and character == " " else character)
    return "".join(found)


def _pair_brackets(section: str) -> frozenset[int]:
    """Return the positions of paired square brackets."""
    unpaired: list[int] = []
    found: list[int] = []
    for i, character in enumerate(section):
        if character == "[":
            unpaired.append(i)
        elif character == "]" and unpaired:
            found += (unpaired.pop(), i)
    return frozenset(found)


RULES: tuple[Normalisation, ...] = (
    Normalisation("Encode curly brackets", _PATHS | _FOLDERS, encoded_brackets),
    Normalisation("Trim Section Spaces", _ASSETS | _SEARCH | _SHARES, trim),
    Normalisation("Remove Hostname Spaces", _ASSETS | _SHARES, _on_host(lambda host: "".join(host.split()))),
    Normalisation("Remove Square Brackets", frozenset(_SQL_PARTS), _without_square_brackets),
    Normalisation("Lowercase File Extension", _PATHS, lowercase_extension),
    Normalisation("Lowercase hostname", _ASSETS, _on_host(str.lower)),
    Normalisation("Lowercase scheme", _ASSETS, _lowercase_scheme),
    Normalisation("Remove double slash", _ASSETS | _SEARCH | _SHARES, lambda text: _SLASHES.sub("/", text)),
    Normalisation("Convert ADLSGen1 to adl scheme", frozenset(_GEN1), lambda text: _HTTP.sub("adl://", text)),
    Normalisation("Remove trailing slash", _ROOTS, lambda text: text.rstrip("/")),
)
"""Purview's rules for datasets in its order, preceded and followed by those that only the concept page lists."""


def normalised_name(type_name: str, qualified_name: str) -> str:
    """Return the qualified name as Purview writes it; unchanged if no rule covers its type.

    >>> normalised_name("azure_blob_path", "HTTPS://Acct.Blob.core.windows.net/Raw//Orders.CSV")
    'https://acct.blob.core.windows.net/Raw/Orders.csv'
    """
    for rule in RULES:
        if type_name in rule.types:
            qualified_name = rule.apply(qualified_name)
    return qualified_name


def normalise(asset: Asset) -> Asset:
    """Return the asset under its normalised name."""
    name = normalised_name(asset.type_name, asset.qualified_name)
    return asset if name == asset.qualified_name else dataclasses.replace(asset, qualified_name=name)
