"""Validate labels, custom attributes and classifications by the rules of the Atlas server.

A server drops the whole message if one of them is invalid (R20, R21), so they are checked when the hook attaches.

Source: `org.apache.atlas.model.instance.AtlasEntity` validation in `EntityGraphMapper` (labels, custom attributes),
`org.apache.atlas.type.AtlasTypeUtil` (names of classifications).
"""

from __future__ import annotations

import re

from sac_kafka.masking import mask_value
from sac_kafka.settings.declarations.server_limits import CUSTOM_VALUE_LIMIT, WORD, WORD_LENGTH
from sac_kafka.settings.declarations.values import Kind

_WORD = re.compile(WORD)
_CLASSIFICATION = re.compile(r"[A-Za-z][A-Za-z0-9_ .]*")


def _parts(text: str) -> list[str]:
    return [part for part in (part.strip() for part in text.split(",")) if part]


def _labels(text: str) -> tuple[str, ...]:
    labels = tuple(dict.fromkeys(_parts(text)))
    for label in labels:
        if not _WORD.fullmatch(label):
            raise ValueError(f"label {mask_value(label)!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
    return labels


def _custom_attributes(text: str) -> tuple[tuple[str, str], ...]:
    result: dict[str, str] = {}
    for part in _parts(text):
        key, is_pair, value = (each.strip() for each in part.partition("="))
        if not is_pair:
            raise ValueError(f"{mask_value(part)!r} must be key=value")
        if not _WORD.fullmatch(key):
            raise ValueError(f"key {mask_value(key)!r} must have 1 to {WORD_LENGTH} letters, digits, _ or -")
        if len(value.encode("utf-16-le")) > 2 * CUSTOM_VALUE_LIMIT:
            raise ValueError(f"the value of {key} must have at most {CUSTOM_VALUE_LIMIT} characters")
        result[key] = value
    return tuple(result.items())


def _classifications(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(_parts(text)))
    for name in names:
        if not _CLASSIFICATION.fullmatch(name):
            raise ValueError(
                f"{mask_value(name)!r} is not a classification name: must be a letter, then letters, digits, _, . or blanks"
            )
    return names


LABELS = Kind("labels, separated by commas", _labels, is_list=True)
CUSTOM_ATTRIBUTES = Kind("key=value pairs, separated by commas", _custom_attributes, is_list=True)
CLASSIFICATIONS = Kind("names of classifications, separated by commas", _classifications, is_list=True)
