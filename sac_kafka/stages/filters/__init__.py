"""Filter lineage by the user's include and exclude rules (docs/filters.md), between extraction and messages."""
