"""Naming rules of the user, written in TOML; they take precedence over the built-in rules."""
