"""Recognise mappings that a version of the accelerator ships; the built-in rules cover their datasets."""

from __future__ import annotations

import hashlib

from sac_kafka.purview.mapping.accelerator.mappings import AcceleratorMapping

NEEDS_NONE = "the hook names this itself"
_DIGITS = 16
_SHIPPED = frozenset(
    {
        "02e480b0c6198caf", "0434240c4b77f874", "047957bd44a8b3bc", "077bb10bcdc60652", "0b2fea4bdee1edf9",
        "0f5b223d100f20ea", "100543bd9eabac42", "122f54e17ac8a55f", "15dfc64e68cd4775", "16e8dcd01478146e",
        "178013749bf503cf", "1dd965888126b176", "2234a2cdd8a4c259", "251fac59bb5ace99", "3158439d0be3e11c",
        "32ba952a92557775", "3399763ec5de57ad", "372c4f2445a29d4f", "4d1b1135f00af9c2", "4d88bf62d756f267",
        "549f765100790528", "5593447f5401ac98", "56d961103c36043c", "57945c66fc2dddbe", "5881ad138f4d7676",
        "591612b26bb49d54", "612652adf85ff332", "6440ee01a8390b28", "65f145991d2b504e", "6ae56e66b80d469c",
        "719b83e439f2253d", "78ecde381319d35e", "844dfc484c747a27", "8ac3dd5491895066", "8cc47a639a4d9a68",
        "94cedbe6dd27f7c7", "95d33589776cf8f9", "a7dfc34c08d4dec0", "ab0eb5c268d8994f", "ad6f57d31fd5d2b3",
        "b74c0455d63e0f03", "c0a6260bf18ec9b6", "c804b7b0758551d5", "c921ae44da521ab3", "d531c4dce3948ba8",
        "d648415d188509d5", "d982b32d0d69c601", "d9ee66de58aa0d09", "f10bf9bf98ffbff5", "fb84ac7fb29e870b",
    }
)  # fmt: skip
"""Digests of the mappings in all versions of the accelerator's OlToPurviewMappings.json."""


def is_shipped(mapping: AcceleratorMapping) -> bool:
    """Return True if the accelerator ships this mapping: the same name, conditions, template and type."""
    return digest_of(mapping) in _SHIPPED


def digest_of(mapping: AcceleratorMapping) -> str:
    """Return a digest that identifies a mapping."""
    template = "".join(each if isinstance(each, str) else f"{{{each.text}}}" for each in mapping.pieces)
    conditions = sorted(f"{each.token.text} {each.compare} {each.value}" for each in mapping.conditions)
    text = "\n".join((mapping.title, mapping.type_name, template, *conditions))
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
