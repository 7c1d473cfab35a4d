"""Parse the classifications in the settings: `PII`, `PII(level=high)`, `PII[propagate=false, 2026-01-01/ UTC]`.

Source: `org.apache.atlas.model.instance.AtlasClassification`, `org.apache.atlas.model.TimeBoundary` (the form of its times),
`org.apache.atlas.type.AtlasTypeUtil` (names).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from sac_kafka.masking import mask_value
from sac_kafka.settings.declarations.values import EXPOSED, Kind, split_outside_brackets

VALUE_LIMIT = 500
"""Maximum length of the value of an attribute, in characters."""
_FORM = re.compile(r"([^()\[\]]*)(?:\(([^()\[\]]*)\)\s*)?(?:\[([^()\[\]]*)\])?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ .]*")
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_OFFSET = re.compile(r"UTC|GMT(?:[+-](?!00:00)(?:[01]\d|2[0-3]):[0-5]\d)?")
_NOT_OF_JAVA = re.compile(r"Factory|localtime|(?:UTC|GMT)[+-].*")
"""Zones of this machine that Java does not know: it reads no other offset than `GMT+h:mm` (`java.util.TimeZone`)."""
_PROPAGATE = {"propagate=true": True, "propagate=false": False}
_OPTIONS = "propagate=false, or a period such as 2026-01-01/2027-01-01 Europe/Berlin"


class ValidityPeriod(NamedTuple):
    """When a classification is valid, in the form of Atlas (`2026/01/01 00:00:00`); "" for an open end."""

    start: str
    end: str
    zone: str = "GMT"


class Classification(NamedTuple):
    """A classification: its type, attributes, whether it propagates along lineage, and when it is valid (always if empty)."""

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    propagates: bool = True
    periods: tuple[ValidityPeriod, ...] = ()


def _read_all(text: str) -> tuple[Classification, ...]:
    parts = (part.strip() for part in split_outside_brackets(text))
    found = {each.name: each for each in map(_read, filter(None, parts))}
    return tuple(found.values())


def _read(part: str) -> Classification:
    form = _FORM.fullmatch(part)
    name = form[1].strip() if form else part
    if form is None or not _NAME.fullmatch(name):
        raise ValueError(
            f"{mask_value(name)!r} is not a classification name: must be a letter, then letters, digits, _, . or blanks, then "
            "(attribute=value, …) and [propagate=false] or [start/end zone] if needed"
        )
    if mask_value(part) != part:
        raise ValueError(EXPOSED)
    options = _split(form[3])
    periods = tuple(_read_period(option) for option in options if option not in _PROPAGATE)
    propagates = all(_PROPAGATE[option] for option in options if option in _PROPAGATE)
    return Classification(name, tuple(map(_read_attribute, _split(form[2]))), propagates, periods)


def _split(text: str | None) -> list[str]:
    return [part for part in map(str.strip, (text or "").split(",")) if part]


def _read_attribute(part: str) -> tuple[str, str]:
    key, is_pair, value = (each.strip() for each in part.partition("="))
    if not is_pair or not _ATTRIBUTE.fullmatch(key):
        raise ValueError(f"{part!r} must be attribute=value")
    if len(value) > VALUE_LIMIT:
        raise ValueError(f"the value of {key} must have at most {VALUE_LIMIT} characters")
    return key, value


def _read_period(part: str) -> ValidityPeriod:
    """Read a period of ISO 8601 with a time zone: `2026-01-01/2027-01-01T12:00:00 Europe/Berlin`, `2026-01-01/`."""
    times, _, zone = part.partition(" ")
    start, is_period, end = times.partition("/")
    zone = zone.strip() or "GMT"
    if not is_period or not (start or end):
        raise ValueError(f"{part!r} must be {_OPTIONS}")
    if not _is_zone(zone):
        raise ValueError(f"{zone!r} is not a time zone such as Europe/Berlin or GMT+01:00")
    begin, finish = (_moment(each) for each in (start, end))
    if begin and finish and begin >= finish:
        raise ValueError(f"{part!r}: the period ends before it begins")
    return ValidityPeriod(_write(begin), _write(finish), zone)


def _is_zone(name: str) -> bool:
    """Return whether a time zone exists, as far as this machine knows any: Atlas drops a message with an unknown one."""
    if _OFFSET.fullmatch(name):
        return True
    import zoneinfo

    known = zoneinfo.available_timezones()
    return not _NOT_OF_JAVA.fullmatch(name) and (name in known or not known)


def _write(moment: datetime | None) -> str:
    return f"{moment:%Y/%m/%d %H:%M:%S}" if moment else ""


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is not None:
        raise ValueError(f"{text!r} must be a date or a time such as 2026-01-01T06:00:00, without a zone")
    return found


CLASSIFICATIONS = Kind("classifications, separated by commas", _read_all, is_list=True)
