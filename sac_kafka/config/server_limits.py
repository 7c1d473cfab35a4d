"""What a server takes at most, where settings are checked against it too. The other limits are in `atlas.limits`.

Source: `EntityGraphMapper.validateLabels`, `EntityGraphMapper.validateCustomAttributes` (R21).
"""

from __future__ import annotations

WORD_LENGTH = 50
"""Longest label, and longest key of a custom attribute."""

WORD = f"[A-Za-z0-9_-]{{1,{WORD_LENGTH}}}"
"""A label or the key of a custom attribute, as a regular expression."""

CUSTOM_VALUE_LIMIT = 500
"""Longest value of a custom attribute, in UTF-16 units."""

TEXT_LIMIT = 30_000
"""Longest statement and plan, in UTF-16 units: below the limit of indexed strings (R22)."""
