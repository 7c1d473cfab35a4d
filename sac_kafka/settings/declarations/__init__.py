"""Declare settings: how values are parsed, which values are allowed, and how names and rules are written."""
