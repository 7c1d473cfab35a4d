"""Parse the rules of `include` and `exclude`: `subject:glob`, or a glob alone for datasets of every kind.

Rules that cannot match anything are errors. Matching is implemented in `stages.filters`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sac_kafka.masking import mask_text
from sac_kafka.settings.declarations.values import EXPOSED, Kind, did_you_mean

JOB, USER, KIND = "job", "user", "kind"
DATASETS = ("table", "path", "topic", "jdbc", "hbase", "other")
"""Subjects of rules about datasets of one kind."""
SUBJECTS = (*DATASETS, KIND, JOB, USER)
KINDS: Mapping[str, str] = MappingProxyType(
    {"tables": "table", "files": "path", "kafka": "topic", "jdbc": "jdbc", "hbase": "hbase", "other": "other"}
)
"""Values of `kind:` and the subject of rules about these datasets."""
PLACEHOLDERS = ("{date}", "{uuid}", "{run}")
MAX_RULE_LENGTH, MAX_RULES = 1_000, 1_000
"""Limits of a rule (characters) and of a setting (rules), because each dataset is matched against each rule."""

_SEPARATOR = re.compile(r"[,\n]")
_BRACES = re.compile(r"[{}]")
_WORD = re.compile(r"[A-Za-z]+")
_EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "table": "table:tmp_*.*",
        "path": "path:/scratch/**",
        "topic": "topic:*-dlq",
        "jdbc": "jdbc:postgresql://*/audit.*",
        "hbase": "hbase:audit:*",
        "other": "other:mongodb://*/audit/*",
        KIND: "kind:files",
        JOB: "job:adhoc-*",
        USER: "user:svc_*",
    }
)


@dataclass(frozen=True, slots=True)
class SelectionRule:
    """A rule: `subject` is one of SUBJECTS, None for a glob alone. `text` is the rule as configured."""

    subject: str | None
    glob: str
    text: str

    def __str__(self) -> str:
        """Return the rule as configured."""
        return self.text

    @property
    def is_about_names(self) -> bool:
        """True for a rule about names of datasets."""
        return self.subject is None or self.subject in DATASETS


def rule(text: str) -> SelectionRule:
    """Parse one rule.

    >>> rule("table:tmp_*.*").subject, rule("s3a://bucket/tmp/**").subject
    ('table', None)

    Raises:
        ValueError: The rule is invalid; the message names it and the fix.
    """
    if len(text) > MAX_RULE_LENGTH:
        raise ValueError(f"{text[:40] + '…'!r} has {len(text):,} characters; a rule has at most {MAX_RULE_LENGTH:,}")
    if mask_text(text) != text:
        raise ValueError(f"{mask_text(text)!r} {EXPOSED}")
    if text.startswith("!"):
        raise ValueError(f"{text!r}: ! is not supported; atlas.hook.spark.exclude lists only what is excluded")
    subject, glob = _split(text)
    if not glob.strip("./:` "):
        raise ValueError(f"{text!r} has no name; write one, as in {_EXAMPLES[subject or 'table']}")
    if subject == KIND and glob.lower() not in KINDS:
        raise ValueError(f"{text!r}: the kind must be one of {', '.join(KINDS)}{did_you_mean(glob.lower(), KINDS)}")
    rest = glob
    for placeholder in PLACEHOLDERS:
        rest = rest.replace(placeholder, "")
    if _BRACES.search(rest):
        raise ValueError(f"{text!r}: braces are only supported in {', '.join(PLACEHOLDERS)}; write one rule per name")
    return SelectionRule(subject, glob, text)


def _split(text: str) -> tuple[str | None, str]:
    """Split a rule into subject (None without one) and glob. A word before `:/` is a scheme and not a subject."""
    before, colon, rest = text.partition(":")
    word = before.strip().lower()
    if not colon or (word not in SUBJECTS and (rest.startswith("/") or not _WORD.fullmatch(word))):
        return None, text
    if word not in SUBJECTS:
        raise ValueError(
            f"{text!r}: a rule must begin with {', '.join(f'{each}:' for each in SUBJECTS)} or be a glob alone"
            f"{did_you_mean(word, SUBJECTS)}"
        )
    return word, rest.strip()


def rules(text: str) -> tuple[SelectionRule, ...]:
    """Parse the rules of a setting, separated by commas or line breaks, without duplicates.

    Raises:
        ValueError: A rule is invalid, or there are too many.
    """
    parts = dict.fromkeys(part for part in (each.strip() for each in _SEPARATOR.split(text)) if part)
    if len(parts) > MAX_RULES:
        raise ValueError(
            f"{len(parts):,} rules are too many: at most {MAX_RULES:,}; use globs that match several names"
        )
    return tuple(map(rule, parts))


def parse_include(text: str) -> tuple[SelectionRule, ...]:
    """Parse the rules of `atlas.hook.spark.include`.

    Raises:
        ValueError: A rule is invalid, or matches only datasets of a kind that another rule excludes.
    """
    found = rules(text)
    kinds = {KINDS[each.glob.lower()]: each for each in found if each.subject == KIND}
    for each in found:
        if kinds and each.subject in DATASETS and each.subject not in kinds:
            others = " and ".join(rule.text for rule in kinds.values())
            raise ValueError(
                f"{each.text!r} has no effect, because {others} excludes all other kinds; "
                f"add kind:{next(name for name, subject in KINDS.items() if subject == each.subject)}, or remove kind rules"
            )
    return found


_NAME = "rules (`subject:glob`), separated by commas"
RULES = Kind(_NAME, rules, is_list=True)
INCLUDED = Kind(_NAME, parse_include, is_list=True)
