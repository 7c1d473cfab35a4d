"""Filter lineage by the user's include and exclude rules (docs/leaving-out.md), between extraction and messages."""
