"""Decide by rules whether a job, a user or a dataset is kept or excluded.

Exclusion takes precedence over inclusion. If a rule includes something of a subject (jobs, users, kinds or names of datasets),
everything else of that subject is excluded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from sac_kafka.globs import flat
from sac_kafka.lineage.bounds import Bounded
from sac_kafka.lineage.datasets.paths import PLACEHOLDER_PATTERNS
from sac_kafka.lineage.filters.defaults import default_rules
from sac_kafka.lineage.filters.names import NameMatching, Spellings, database, glob_of_databases, matching_of
from sac_kafka.lineage.model import KINDS_OF_DATASET, Database, Dataset, KindOfDataset, kind_of
from sac_kafka.settings.declarations.rules import JOB, KIND, KINDS, USER, SelectionRule

MAX_REMEMBERED = 2_000
"""Datasets whose rulings are cached."""
MAX_PLACES_REMEMBERED = 8
"""Locations of a dataset whose ruling is cached; with more, caching would cost too much memory."""

INCLUDE, EXCLUDE, DEFAULT = "atlas.hook.spark.include", "atlas.hook.spark.exclude", "atlas.hook.spark.exclude.defaults"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision about a name.

    Attributes:
        is_kept: False if it is excluded.
        what: The kind of name, as rules see it: job, user, kind, dataset.
        rule: The rule that decided; None if none matched.
        setting: The setting of the rule; INCLUDE without a rule if only other names are included.
    """

    is_kept: bool
    what: str = ""
    rule: SelectionRule | None = None
    setting: str = ""

    @property
    def reason(self) -> str:
        """The reason for an exclusion, under which it is counted."""
        if self.rule is None:
            return f"{self.what} not included"
        return f"{self.rule} (default)" if self.setting == DEFAULT else str(self.rule)


KEPT = Ruling(True)


_NEVER = re.compile(r"(?!)")


def _any(pattern: re.Pattern[str], names: Spellings) -> bool:
    return any(pattern.fullmatch(name) for name in names)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The compiled rules of one subject: includes, and excludes with their setting."""

    what: str
    include: tuple[tuple[re.Pattern[str], SelectionRule], ...]
    exclude: tuple[tuple[re.Pattern[str], SelectionRule, str], ...]

    def ruling_on(self, names: Spellings, *others: Spellings) -> Ruling:
        """Return the ruling on a name; a dataset with other names is also excluded if all of these are."""
        out = self._excluded(names) or self._all_excluded(others)
        if out is not None:
            return out
        for pattern, rule in self.include:
            if any(_any(pattern, each) for each in (names, *others)):
                return Ruling(True, self.what, rule, INCLUDE)
        return Ruling(False, self.what, None, INCLUDE) if self.include else KEPT

    def _excluded(self, names: Spellings) -> Ruling | None:
        for pattern, rule, setting in self.exclude:
            if _any(pattern, names):
                return Ruling(False, self.what, rule, setting)
        return None

    def _all_excluded(self, others: Iterable[Spellings]) -> Ruling | None:
        found: Ruling | None = None
        for each in others:
            found = self._excluded(each)
            if found is None:
                return None
        return found


class Selection:
    """The compiled rules of an application, the default exclude rules among them on request. Used by one thread."""

    def __init__(
        self,
        include: Iterable[SelectionRule] = (),
        exclude: Iterable[SelectionRule] = (),
        *,
        with_defaults: bool = True,
    ) -> None:
        self._include = tuple(include)
        self._exclude = (
            *((rule, EXCLUDE) for rule in exclude),
            *((rule, DEFAULT) for rule in (default_rules() if with_defaults else ())),
        )
        self._jobs = self._compiled("job", lambda rule: rule.subject == JOB, _plain_pattern)
        self._users = self._compiled("user", lambda rule: rule.subject == USER, _plain_pattern)
        self._kinds = self._compiled("kind", lambda rule: rule.subject == KIND, _kind_pattern)
        self._datasets = {
            kind.dataset: self._compiled("dataset", _is_about_names, _names_pattern(kind.word, matching_of(kind)))
            for kind in KINDS_OF_DATASET
        }
        self._databases = self._compiled("dataset", _is_about_names, _databases_pattern)
        self._found: Bounded[object, Ruling] = Bounded(MAX_REMEMBERED)

    def job(self, name: str) -> Ruling:
        """Return the ruling on a job."""
        return self._jobs.ruling_on((name.lower(),))

    def user(self, name: str) -> Ruling:
        """Return the ruling on a user."""
        return self._users.ruling_on((name.lower(),))

    def dataset(self, dataset: Dataset) -> Ruling:
        """Return the ruling on a dataset: on its kind, then on its name, and for a path on its locations."""
        kind = kind_of(dataset)
        places = getattr(dataset, "locations", ())
        if len(places) > MAX_PLACES_REMEMBERED:
            return self._ruling_on(dataset, kind)
        key = (dataset.key, places)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._ruling_on(dataset, kind)
        return found

    def _ruling_on(self, dataset: Dataset, kind: KindOfDataset) -> Ruling:
        of_kind = self._kinds.ruling_on((kind.word,))
        if not of_kind.is_kept:
            return of_kind
        matching = matching_of(kind)
        of_name = self._datasets[kind.dataset].ruling_on(matching.name_of(dataset), *matching.other_names_of(dataset))
        return of_kind if of_name is KEPT else of_name

    def database(self, of: Database) -> Ruling:
        """Return the ruling on a database; it is excluded if all tables that may be in it are."""
        of_kind = self._kinds.ruling_on(("table",))
        return self._databases.ruling_on((database(of),)) if of_kind.is_kept else of_kind

    def _compiled(self, what: str, is_about: Callable[[SelectionRule], bool], pattern: _Compile) -> _Rules:
        include = [(pattern(rule, is_included=True), rule) for rule in self._include if is_about(rule)]
        exclude = [(pattern(rule, is_included=False), *each) for each in self._exclude if is_about(rule := each[0])]
        return _Rules(
            what,
            tuple((found or _NEVER, rule) for found, rule in include),
            tuple((found, rule, setting) for found, rule, setting in exclude if found is not None),
        )


class _Compile(Protocol):
    """Compiler of a rule to the pattern of the names that it matches."""

    def __call__(self, rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:
        """Return the pattern of a rule; None if it matches nothing."""


def _is_about_names(rule: SelectionRule) -> bool:
    return rule.is_about_names


def _plain_pattern(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str]:  # noqa: ARG001 the signature of _Compile
    return flat(rule.glob.lower(), PLACEHOLDER_PATTERNS)


def _kind_pattern(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str]:  # noqa: ARG001 the signature of _Compile
    return flat(KINDS[rule.glob.lower()])


def _names_pattern(subject: str, matching: NameMatching) -> _Compile:
    def pattern(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:  # noqa: ARG001 the signature of _Compile
        return matching.glob(rule.glob) if rule.subject in (None, subject) else None

    return pattern


def _databases_pattern(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:
    """Return a pattern of databases: to exclude one, a rule must match all its tables; to include one, any of them."""
    return glob_of_databases(rule.glob, whole=not is_included) if rule.subject in (None, "table") else None
