"""Parse the setting that renames catalogs."""

from __future__ import annotations

import re

from sac_kafka.masking import mask_value
from sac_kafka.settings.declarations.values import Kind

_NAME = re.compile(r"[^\s'\"`#@.,=]+")


def _catalog_names(text: str) -> tuple[tuple[str, str], ...]:
    result: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        old, is_pair, new = (each.strip() for each in part.partition("="))
        if not is_pair or not _NAME.fullmatch(old) or not _NAME.fullmatch(new):
            raise ValueError(f"{mask_value(part)!r} must be SPARK_CATALOG=NEW_NAME")
        result[old] = new
    return tuple(result.items())


CATALOG_NAMES = Kind("SPARK_CATALOG=NEW_NAME pairs, separated by commas", _catalog_names, is_list=True)
