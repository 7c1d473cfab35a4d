"""Read and apply an account's custom resource set rules, as returned by `GET …/resourceSetRuleConfigs`.

Supported are pattern rules of scopes, as created in the portal, and disabled built-in replacers. Any other content is listed
in `not_understood`, for a warning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.purview.normalisation import encoded_brackets, normalised_name
from sac_kafka.purview.resource_set_patterns import PatternToken, matched, parsed
from sac_kafka.purview.resource_sets import CALENDAR, REPLACERS, SPARK_PATH

_OWN_REPLACERS = frozenset({each.name for each in REPLACERS} | {SPARK_PATH, CALENDAR})
_FIX = "get the file again from Purview (GET /account/resourceSetRuleConfigs)"
_ADDRESS_TYPE = "azure_storage_account"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRule:
    """A pattern relative to its scope; `is_resource_set` is False for "do not group as resource set"."""

    name: str
    folders: tuple[tuple[PatternToken, ...], ...]
    is_resource_set: bool = True
    display_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """A folder (`https://account.dfs.core.windows.net/container/folder`) and its rules; the first match is used."""

    url: str
    rules: tuple[PatternRule, ...]


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """Result of a rule for a file: the name of the asset, and its display name, "" for the default."""

    qualified_name: str
    display_name: str
    rule: PatternRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSetRules:
    """Scopes, the most specific first; names of disabled built-in replacers; places of unsupported content."""

    scopes: tuple[RuleScope, ...] = ()
    switched_off: frozenset[str] = frozenset()
    not_understood: tuple[str, ...] = ()

    def match(self, file: str) -> RuleMatch | None:
        """Return the result of the first rule that matches a file, given by its normalised name; None if none matches."""
        for scope in self.scopes:
            if file.startswith(f"{scope.url}/"):
                below = file[len(scope.url) + 1 :].split("/")
                found = next((each for rule in scope.rules if (each := _match(scope, rule, below)) is not None), None)
                if found is not None:
                    return found
        return None


def read_rules(text: str, place: str) -> ResourceSetRules:
    """Parse the rules from the JSON of Purview's API; `place` names the file in errors.

    Raises:
        ConfigurationError: The document is invalid.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{place} is not valid JSON ({error}); {_FIX}") from None
    return _Reader(place).rules(document)


class _Reader:
    """Parser of a document; its errors contain the path of the invalid element."""

    def __init__(self, place: str) -> None:
        self._place = place

    def rules(self, document: Any) -> ResourceSetRules:  # noqa: ANN401 JSON
        scopes: list[RuleScope] = []
        switched_off: set[str] = set()
        not_understood: list[str] = []
        for whole, config in self._configs(document):
            at = f"{whole}pathPatternConfig"
            patterns = self._object(config.get("pathPatternConfig", {}), at)
            scopes += [self._scope(where, each) for where, each in self._objects(patterns, "scopedRules", at)]
            if patterns.get("enableDefaultPatterns") is False:
                switched_off |= _OWN_REPLACERS
            for key in ("complexReplacers", "regexReplacers"):
                for where, each in self._objects(patterns, key, at):
                    name = self._text(each, "name", where)
                    if name not in _OWN_REPLACERS:
                        not_understood.append(f"{where} ({name})")
                    elif each.get("disabled") is True:
                        switched_off.add(name)
            for key in ("acceptedPatterns", "rejectedPatterns"):
                not_understood += [where for where, _ in self._objects(patterns, key, at)]
        scopes.sort(key=lambda scope: -scope.url.count("/"))
        return ResourceSetRules(
            scopes=tuple(scopes), switched_off=frozenset(switched_off), not_understood=tuple(not_understood)
        )

    def _configs(self, document: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:  # noqa: ANN401 JSON
        """Yield the configurations of a document, each with the prefix of its paths: the API returns one or a list."""
        whole = self._object(document, "")
        if "value" in whole:
            yield from ((f"{where}.", each) for where, each in self._objects(whole, "value", ""))
        elif "pathPatternConfig" in whole:
            yield "", whole
        else:
            raise self._error("", "has neither pathPatternConfig nor value")

    def _scope(self, at: str, scope: Mapping[str, Any]) -> RuleScope:
        url = normalised_name(_ADDRESS_TYPE, self._text(scope, "bindingUrl", at)).rstrip("/")
        if "://" not in url:
            raise self._error(f"{at}.bindingUrl", "must be the URL of a folder, https://…")
        return RuleScope(
            url=url, rules=tuple(self._rule(where, each) for where, each in self._objects(scope, "rules", at))
        )

    def _rule(self, at: str, rule: Mapping[str, Any]) -> PatternRule:
        try:
            folders = parsed(self._text(rule, "qualifiedName", at))
        except ValueError as error:
            raise self._error(f"{at}.qualifiedName", str(error)) from None
        is_set = rule.get("isResourceSet", True) is not False
        if is_set and any(token.type_name and not token.text for folder in folders for token in folder):
            raise self._error(
                f"{at}.qualifiedName", "has a replacer without a name, which is allowed only for ungrouped assets"
            )
        return PatternRule(
            name=str(rule.get("name") or at),
            folders=folders,
            is_resource_set=is_set,
            display_name=str(rule.get("displayName") or ""),
        )

    def _objects(self, owner: Mapping[str, Any], key: str, at: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the objects of a list, each with its path."""
        found, where = owner.get(key), f"{at}.{key}" if at else key
        if found is None:
            return []
        if not isinstance(found, list):
            raise self._error(where, "must be a list")
        return [(f"{where}[{i}]", self._object(each, f"{where}[{i}]")) for i, each in enumerate(found)]

    def _object(self, found: Any, at: str) -> Mapping[str, Any]:  # noqa: ANN401 JSON
        if not isinstance(found, dict):
            raise self._error(at, "must be an object")
        return found

    def _text(self, owner: Mapping[str, Any], key: str, at: str) -> str:
        found = owner.get(key)
        if not isinstance(found, str) or not found.strip():
            raise self._error(f"{at}.{key}", "must be a non-empty string")
        return found

    def _error(self, at: str, reason: str) -> ConfigurationError:
        return ConfigurationError(f"{self._place}, {at or 'the document'} {reason}; {_FIX}")


def _match(scope: RuleScope, rule: PatternRule, below: Sequence[str]) -> RuleMatch | None:
    """Apply a rule to the path below its scope; None if it does not match."""
    if len(below) != len(rule.folders):
        return None
    path: list[str] = []
    label = rule.display_name
    for tokens, name in zip(rule.folders, below, strict=True):
        values = matched(tokens, name)
        if values is None:
            return None
        path.append("".join(_written(token, value) for token, value in zip(tokens, values, strict=True)))
        for token, value in zip(tokens, values, strict=True):
            if token.is_static:
                label = label.replace(f"{{{{{token.text}}}}}", value)
    return RuleMatch("/".join((scope.url, *(path if rule.is_resource_set else below))), label, rule)


def _written(token: PatternToken, value: str) -> str:
    is_pattern = token.type_name and not token.is_static
    return f"{{{encoded_brackets(token.text)}}}" if is_pattern else value
