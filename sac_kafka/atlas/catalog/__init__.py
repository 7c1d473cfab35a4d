"""Convert catalog changes (definitions, renames, drops) to notifications."""
