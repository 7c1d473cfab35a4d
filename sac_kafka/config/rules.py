"""Rules that leave things out, as they are written: `subject:glob`, or a glob by itself for datasets of every kind.

What a glob matches is said in `lineage.leaving_out`; here a rule is read, and what cannot be meant is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sac_kafka.config.secrets import mask_text
from sac_kafka.config.values import EXPOSED, Kind, did_you_mean

JOB, USER, KIND = "job", "user", "kind"
DATASETS = ("table", "path", "topic", "jdbc", "hbase", "other")
"""What a rule about datasets of one kind begins with."""
SUBJECTS = (*DATASETS, KIND, JOB, USER)
KINDS: Mapping[str, str] = MappingProxyType(
    {"tables": "table", "files": "path", "kafka": "topic", "jdbc": "jdbc", "hbase": "hbase", "other": "other"}
)
"""The words behind `kind:`, and what rules about such a dataset begin with."""
PLACEHOLDERS = ("{date}", "{uuid}", "{run}")
LONGEST, MOST = 1_000, 1_000
"""Characters of a rule, and rules of a setting: each dataset is held against each of them."""

_SEPARATOR = re.compile(r"[,\n]")
_BRACES = re.compile(r"[{}]")
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class SelectionRule:
    """A rule: `subject` is one of SUBJECTS, None for a glob by itself. `text` is the rule as it was written."""

    subject: str | None
    glob: str
    text: str

    def __str__(self) -> str:
        """As it was written."""
        return self.text

    @property
    def is_about_names(self) -> bool:
        """True for a rule about the names of datasets, whatever their kind."""
        return self.subject is None or self.subject in DATASETS


def rule(text: str) -> SelectionRule:
    """Read one rule.

    >>> rule("table:tmp_*.*").subject, rule("s3a://bucket/tmp/**").subject
    ('table', None)

    Raises:
        ValueError: It is none; the sentence names it and says what to write.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{text[:40] + '…'!r} has {len(text):,} characters; a rule has at most {LONGEST:,}")
    if mask_text(text) != text:
        raise ValueError(f"{mask_text(text)!r} {EXPOSED}")
    if text.startswith("!"):
        raise ValueError(f"{text!r}: there is no !; what is to stay is not named by atlas.hook.spark.exclude")
    subject, glob = _divided(text)
    if not glob.strip("./:` "):
        raise ValueError(f"{text!r} names nothing; write what it is about, as in {_LIKE[subject or 'table']}")
    if subject == KIND and glob.lower() not in KINDS:
        raise ValueError(f"{text!r}: a kind is one of {', '.join(KINDS)}{did_you_mean(glob.lower(), KINDS)}")
    without = glob
    for placeholder in PLACEHOLDERS:
        without = without.replace(placeholder, "")
    if _BRACES.search(without):
        raise ValueError(f"{text!r}: braces mean nothing but in {', '.join(PLACEHOLDERS)}; write a rule for each name")
    return SelectionRule(subject, glob, text)


_LIKE: Mapping[str, str] = MappingProxyType(
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


def _divided(text: str) -> tuple[str | None, str]:
    """The subject, if one is named, and the glob. What is before a colon and a slash is the scheme of a path or a database."""
    before, colon, rest = text.partition(":")
    word = before.strip().lower()
    if not colon or (word not in SUBJECTS and (rest.startswith("/") or not _WORD.fullmatch(word))):
        return None, text
    if word not in SUBJECTS:
        raise ValueError(
            f"{text!r}: a rule begins with {', '.join(f'{each}:' for each in SUBJECTS)} or is a glob by itself"
            f"{did_you_mean(word, SUBJECTS)}"
        )
    return word, rest.strip()


def rules(text: str) -> tuple[SelectionRule, ...]:
    """Read the rules of a setting, separated by commas or ends of lines; each counts once.

    Raises:
        ValueError: One is none.
    """
    parts = dict.fromkeys(part for part in (each.strip() for each in _SEPARATOR.split(text)) if part)
    if len(parts) > MOST:
        raise ValueError(f"{len(parts):,} rules are too many: {MOST:,} at most; let a glob stand for several names")
    return tuple(map(rule, parts))


def included(text: str) -> tuple[SelectionRule, ...]:
    """Read the rules of a list of what is included.

    Raises:
        ValueError: One is none, or about datasets of a kind that another one leaves out.
    """
    found = rules(text)
    kinds = {KINDS[each.glob.lower()]: each for each in found if each.subject == KIND}
    for each in found:
        if kinds and each.subject in DATASETS and each.subject not in kinds:
            raise ValueError(
                f"{each.text!r} includes nothing, because {_listed(kinds.values())} leaves out all other kinds; "
                f"add kind:{next(name for name, subject in KINDS.items() if subject == each.subject)}, or name no kind"
            )
    return found


def _listed(found: Iterable[SelectionRule]) -> str:
    return " and ".join(each.text for each in found)


_NAME = "rules (`subject:glob`), separated by commas"
RULES = Kind(_NAME, rules, is_list=True)
INCLUDED = Kind(_NAME, included, is_list=True)
