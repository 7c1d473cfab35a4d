"""Decide by rules whether a job, a user or a dataset is kept or excluded.

Exclusion takes precedence over inclusion. If a rule includes something of a subject (jobs, users, kinds or names of datasets),
everything else of that subject is excluded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial

from sac_kafka.globs import flat
from sac_kafka.model import KINDS_OF_DATASET, Database, Dataset, kind_of
from sac_kafka.model.bounds import Bounded
from sac_kafka.names.paths import PLACEHOLDER_PATTERNS
from sac_kafka.settings.declarations.rules import JOB, KIND, KINDS, USER, SelectionRule
from sac_kafka.stages.filters.defaults import default_rules
from sac_kafka.stages.filters.names import Spellings, database, glob_of_databases, matching_of

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
_Glob = Callable[[str], re.Pattern[str] | None]
_Pattern = Callable[[SelectionRule], re.Pattern[str] | None]
"""Returns the pattern of the names that a glob or a rule matches; None if it matches nothing."""


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
        out = self._exclude(names)
        for other in others if out is None else ():
            out = self._exclude(other)
            if out is None:
                break
        if out is not None:
            return out
        for pattern, rule in self.include:
            if any(_any(pattern, each) for each in (names, *others)):
                return Ruling(True, self.what, rule, INCLUDE)
        return Ruling(False, self.what, None, INCLUDE) if self.include else KEPT

    def _exclude(self, names: Spellings) -> Ruling | None:
        for pattern, rule, setting in self.exclude:
            if _any(pattern, names):
                return Ruling(False, self.what, rule, setting)
        return None


class Selection:
    """The rules of an application, the default exclude rules among them on request; compiled when they are first used.

    Used by one thread.
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
        self._matching = {kind.dataset: matching_of(kind) for kind in KINDS_OF_DATASET}
        self._datasets: dict[type[Dataset], _Rules] = {}  # of the kinds that occurred
        self._rulings: Bounded[object, Ruling] = Bounded(MAX_REMEMBERED)

    @cached_property
    def _jobs(self) -> _Rules:
        return self._compile("job", lambda rule: rule.subject == JOB, _plain_pattern)

    @cached_property
    def _users(self) -> _Rules:
        return self._compile("user", lambda rule: rule.subject == USER, _plain_pattern)

    @cached_property
    def _kinds(self) -> _Rules:
        return self._compile("kind", lambda rule: rule.subject == KIND, lambda rule: flat(KINDS[rule.glob.lower()]))

    @cached_property
    def _databases(self) -> _Rules:
        """The rules of databases: to exclude one, a rule must match all its tables; to include one, any of them."""
        return self._of_names("table", partial(glob_of_databases, whole=False), partial(glob_of_databases, whole=True))

    def job(self, name: str) -> Ruling:
        """Return the ruling on a job."""
        return self._jobs.ruling_on((name.lower(),))

    def user(self, name: str) -> Ruling:
        """Return the ruling on a user."""
        return self._users.ruling_on((name.lower(),))

    def author(self, job: str, user: str) -> Ruling:
        """Return the ruling on a job and a user: on the job if it is excluded, else on the user."""
        author = (job, user)
        ruling = self._rulings.get(author)
        if ruling is None:
            of_job = self.job(job)
            ruling = self._rulings[author] = self.user(user) if of_job.is_kept else of_job
        return ruling

    def dataset(self, dataset: Dataset) -> Ruling:
        """Return the ruling on a dataset: on its kind, then on its name, and for a path on its locations."""
        kind = kind_of(dataset)
        places = getattr(dataset, "locations", ())
        key = (dataset.key, places)
        ruling = self._rulings.get(key)
        if ruling is not None:
            return ruling
        ruling = self._kinds.ruling_on((kind.word,))
        if ruling.is_kept:
            matching = self._matching[kind.dataset]
            names = (matching.name_of(dataset), *matching.other_names_of(dataset))
            if kind.dataset not in self._datasets:
                self._datasets[kind.dataset] = self._of_names(kind.word, matching.glob, matching.glob)
            of_name = self._datasets[kind.dataset].ruling_on(*names)
            ruling = ruling if of_name is KEPT else of_name
        if len(places) <= MAX_PLACES_REMEMBERED:
            self._rulings[key] = ruling
        return ruling

    def database(self, db: Database) -> Ruling:
        """Return the ruling on a database; it is excluded if all tables that may be in it are."""
        of_kind = self._kinds.ruling_on(("table",))
        return self._databases.ruling_on((database(db),)) if of_kind.is_kept else of_kind

    def _of_names(self, subject: str, include: _Glob, exclude: _Glob) -> _Rules:
        """Compile the rules about names of datasets; one of another subject matches none."""

        def by(glob: _Glob) -> _Pattern:
            return lambda rule: glob(rule.glob) if rule.subject in (None, subject) else None

        return self._compile("dataset", lambda rule: rule.is_about_names, by(include), by(exclude))

    def _compile(
        self, what: str, is_about: Callable[[SelectionRule], bool], include: _Pattern, exclude: _Pattern | None = None
    ) -> _Rules:
        patterns = [((exclude or include)(rule), rule, setting) for rule, setting in self._exclude if is_about(rule)]
        return _Rules(
            what,
            tuple((include(rule) or _NEVER, rule) for rule in self._include if is_about(rule)),
            tuple((found, rule, setting) for found, rule, setting in patterns if found is not None),
        )


def _plain_pattern(rule: SelectionRule) -> re.Pattern[str]:
    return flat(rule.glob.lower(), PLACEHOLDER_PATTERNS)
