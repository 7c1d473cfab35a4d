"""Define the limits of an Atlas server that also apply to settings. The other limits are in `atlas.limits`.

Source: `EntityGraphMapper.validateLabels`, `EntityGraphMapper.validateCustomAttributes` (R21).
"""

from __future__ import annotations

WORD_LENGTH = 50
"""Maximum length of a label and of the key of a custom attribute."""

WORD = f"[A-Za-z0-9_-]{{1,{WORD_LENGTH}}}"
"""Regular expression of a label and of the key of a custom attribute."""

CUSTOM_VALUE_LIMIT = 500
"""Maximum length of the value of a custom attribute, in UTF-16 units."""

TEXT_LIMIT = 30_000
"""Maximum length of SQL text and plans, in UTF-16 units: below the limit of indexed strings (R22)."""
