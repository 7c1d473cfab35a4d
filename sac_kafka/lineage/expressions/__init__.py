"""How expressions are shown: SQL as people write it, literals as `?`."""
