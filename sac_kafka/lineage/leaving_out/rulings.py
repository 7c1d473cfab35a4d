"""Whether a job, a user or a dataset is left out, and by which rule.

What is excluded is left out, whatever includes it. If something is included of a subject (jobs, users, kinds of datasets, names
of datasets), all else of that subject is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from sac_kafka.config.rules import JOB, KIND, KINDS, USER, SelectionRule
from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.leaving_out.defaults import default_rules
from sac_kafka.lineage.leaving_out.globs import flat
from sac_kafka.lineage.leaving_out.names import NAMED, Named, Spellings, database, glob_of_databases
from sac_kafka.lineage.model import Database, Dataset

MAX_REMEMBERED = 2_000
"""Datasets whose rulings are kept."""
MAX_PLACES_REMEMBERED = 8
"""What was read in more places is looked at each time: their names would fill the driver's memory."""

INCLUDE, EXCLUDE, DEFAULT = "atlas.hook.spark.include", "atlas.hook.spark.exclude", "atlas.hook.spark.exclude.defaults"


@dataclass(frozen=True, slots=True)
class Ruling:
    """Kept, or left out: by a `rule` of a `setting`, or because of those that include others (no rule, INCLUDE).

    `what` is kept or left out: a word for what rules of that setting are about. It is kept without a rule where none is
    about it.
    """

    is_kept: bool
    what: str = ""
    rule: SelectionRule | None = None
    setting: str = ""

    @property
    def reason(self) -> str:
        """Why it is left out, in the words that are counted."""
        if self.rule is None:
            return f"{self.what} not included"
        return f"{self.rule} (default)" if self.setting == DEFAULT else str(self.rule)


KEPT = Ruling(True)


def _any(pattern: re.Pattern[str], names: Spellings) -> bool:
    return any(pattern.fullmatch(name) for name in names)


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of one subject, compiled: those that include it, and those that exclude it, each with its setting."""

    what: str
    include: tuple[tuple[re.Pattern[str], SelectionRule], ...]
    exclude: tuple[tuple[re.Pattern[str], SelectionRule, str], ...]

    def of(self, names: Spellings, *others: Spellings) -> Ruling:
        """The ruling on what has a name, and besides several: it is excluded where all of these are, too."""
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
    """The rules of an application, compiled; used by one thread.

    Args:
        include: Rules of what is left in.
        exclude: Rules of what is left out.
        with_defaults: Those that hold without being asked for are among them.
    """

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
        self._jobs = self._compiled("job", lambda rule: rule.subject == JOB, _flat)
        self._users = self._compiled("user", lambda rule: rule.subject == USER, _flat)
        self._kinds = self._compiled("kind", lambda rule: rule.subject == KIND, _kind)
        self._datasets = {
            of: self._compiled("dataset", _is_about_names, _of_names(subject, named))
            for of, (subject, named) in NAMED.items()
        }
        self._databases = self._compiled("dataset", _is_about_names, _of_databases)
        self._found: Bounded[object, Ruling] = Bounded(MAX_REMEMBERED)

    def job(self, name: str) -> Ruling:
        """The ruling on a job."""
        return self._jobs.of((name.lower(),))

    def user(self, name: str) -> Ruling:
        """The ruling on a user."""
        return self._users.of((name.lower(),))

    def dataset(self, dataset: Dataset) -> Ruling:
        """The ruling on a dataset: on its kind, then on its name, and for a path on where it was read and written."""
        subject, named = NAMED.get(type(dataset), ("", None))
        if named is None:
            return KEPT
        places = getattr(dataset, "locations", ())
        if len(places) > MAX_PLACES_REMEMBERED:
            return self._of(dataset, subject, named)
        key = (dataset.key, places)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._of(dataset, subject, named)
        return found

    def _of(self, dataset: Dataset, subject: str, named: Named) -> Ruling:
        of_kind = self._kinds.of((subject,))
        if not of_kind.is_kept:
            return of_kind
        of_name = self._datasets[type(dataset)].of(named.in_name(dataset), *named.within(dataset))
        return of_kind if of_name is KEPT else of_name

    def database(self, of: Database) -> Ruling:
        """The ruling on a database: it is left out with all tables that may be in it."""
        of_kind = self._kinds.of(("table",))
        return self._databases.of((database(of),)) if of_kind.is_kept else of_kind

    def _compiled(self, what: str, is_about: Callable[[SelectionRule], bool], pattern: _Compile) -> _Rules:
        include = [(pattern(rule, is_included=True), rule) for rule in self._include if is_about(rule)]
        exclude = [(pattern(rule, is_included=False), *each) for each in self._exclude if is_about(rule := each[0])]
        return _Rules(
            what,
            tuple((found or _NEVER, rule) for found, rule in include),
            tuple((found, rule, setting) for found, rule, setting in exclude if found is not None),
        )


class _Compile(Protocol):
    def __call__(self, rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:
        """The pattern of a rule, None where it matches nothing."""


_NEVER = re.compile(r"(?!)")


def _is_about_names(rule: SelectionRule) -> bool:
    return rule.is_about_names


def _flat(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str]:  # noqa: ARG001 as every one
    return flat(rule.glob.lower())


def _kind(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str]:  # noqa: ARG001 as every one
    return flat(KINDS[rule.glob.lower()])


def _of_names(subject: str, named: Named) -> _Compile:
    def pattern(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:  # noqa: ARG001 as every one
        return named.glob(rule.glob) if rule.subject in (None, subject) else None

    return pattern


def _of_databases(rule: SelectionRule, *, is_included: bool) -> re.Pattern[str] | None:
    """Of a database all tables must be excluded, and any may be included."""
    return glob_of_databases(rule.glob, whole=not is_included) if rule.subject in (None, "table") else None
