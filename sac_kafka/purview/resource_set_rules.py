"""An account's own rules for resource sets, as Purview's API gives them (`GET …/resourceSetRuleConfigs`).

What is understood: the rules of scopes (pattern rules, as the portal makes them), and which of Purview's own replacers are
switched off. Any other content is kept in `not_understood`, for a warning.
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
_CURE = "get the file again from Purview (GET /account/resourceSetRuleConfigs)"
_ADDRESS_TYPE = "azure_storage_account"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRule:
    """A pattern below a scope. `is_resource_set` is False for "do not group as resource set"."""

    name: str
    folders: tuple[tuple[PatternToken, ...], ...]
    is_resource_set: bool = True
    display_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """A folder (`https://account.dfs.core.windows.net/container/folder`) and its rules, the first of which counts."""

    url: str
    rules: tuple[PatternRule, ...]


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a rule makes of a file: the name of an asset, and what is shown of it, "" for what is shown without a rule."""

    qualified_name: str
    shown: str
    rule: PatternRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSetRules:
    """Scopes, the most specific first; the names of Purview's own replacers that are switched off."""

    scopes: tuple[RuleScope, ...] = ()
    switched_off: frozenset[str] = frozenset()
    not_understood: tuple[str, ...] = ()

    def ruled(self, file: str) -> Ruled | None:
        """What the first rule that it fits makes of a file, by its normalised name; None where it fits none."""
        for scope in self.scopes:
            if file.startswith(f"{scope.url}/"):
                below = file[len(scope.url) + 1 :].split("/")
                found = next((each for rule in scope.rules if (each := _ruled(scope, rule, below)) is not None), None)
                if found is not None:
                    return found
        return None


def read_rules(text: str, place: str) -> ResourceSetRules:
    """The rules in the JSON of Purview's API; `place` is the file that it is from.

    Raises:
        ConfigurationError: It is not such a JSON; says where, and what to do.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{_CURE}: {place} is no JSON ({error})") from None
    return _Reader(place).rules(document)


class _Reader:
    """Reads a document; every complaint has the place in it."""

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
        """One configuration, or the list of them that the API gives."""
        whole = self._object(document, "")
        if "value" in whole:
            yield from ((f"{where}.", each) for where, each in self._objects(whole, "value", ""))
        elif "pathPatternConfig" in whole:
            yield "", whole
        else:
            raise self._wrong("", "has neither pathPatternConfig nor value")

    def _scope(self, at: str, scope: Mapping[str, Any]) -> RuleScope:
        url = normalised_name(_ADDRESS_TYPE, self._text(scope, "bindingUrl", at)).rstrip("/")
        if "://" not in url:
            raise self._wrong(f"{at}.bindingUrl", "must be the address of a folder, https://…")
        return RuleScope(
            url=url, rules=tuple(self._rule(where, each) for where, each in self._objects(scope, "rules", at))
        )

    def _rule(self, at: str, rule: Mapping[str, Any]) -> PatternRule:
        try:
            folders = parsed(self._text(rule, "qualifiedName", at))
        except ValueError as error:
            raise self._wrong(f"{at}.qualifiedName", str(error)) from None
        is_set = rule.get("isResourceSet", True) is not False
        if is_set and any(token.type_name and not token.text for folder in folders for token in folder):
            raise self._wrong(
                f"{at}.qualifiedName", "has a replacer without a name, which only ungrouped assets may have"
            )
        return PatternRule(
            name=str(rule.get("name") or at),
            folders=folders,
            is_resource_set=is_set,
            display_name=str(rule.get("displayName") or ""),
        )

    def _objects(self, owner: Mapping[str, Any], key: str, at: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The objects of a list, each with where it stands."""
        found, where = owner.get(key), f"{at}.{key}" if at else key
        if found is None:
            return []
        if not isinstance(found, list):
            raise self._wrong(where, "must be a list")
        return [(f"{where}[{i}]", self._object(each, f"{where}[{i}]")) for i, each in enumerate(found)]

    def _object(self, found: Any, at: str) -> Mapping[str, Any]:  # noqa: ANN401 JSON
        if not isinstance(found, dict):
            raise self._wrong(at, "must be an object")
        return found

    def _text(self, owner: Mapping[str, Any], key: str, at: str) -> str:
        found = owner.get(key)
        if not isinstance(found, str) or not found.strip():
            raise self._wrong(f"{at}.{key}", "must be a text")
        return found

    def _wrong(self, at: str, reason: str) -> ConfigurationError:
        return ConfigurationError(f"{_CURE}: {self._place}, {at or 'the document'} {reason}")


def _ruled(scope: RuleScope, rule: PatternRule, below: Sequence[str]) -> Ruled | None:
    """What a rule makes of a path below its scope; None where it does not fit."""
    if len(below) != len(rule.folders):
        return None
    path: list[str] = []
    shown = rule.display_name
    for tokens, name in zip(rule.folders, below, strict=True):
        values = matched(tokens, name)
        if values is None:
            return None
        path.append("".join(_written(token, value) for token, value in zip(tokens, values, strict=True)))
        for token, value in zip(tokens, values, strict=True):
            if token.is_static:
                shown = shown.replace(f"{{{{{token.text}}}}}", value)
    return Ruled("/".join((scope.url, *(path if rule.is_resource_set else below))), shown, rule)


def _written(token: PatternToken, value: str) -> str:
    is_pattern = token.type_name and not token.is_static
    return f"{{{encoded_brackets(token.text)}}}" if is_pattern else value
