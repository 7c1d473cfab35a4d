"""Render Catalyst expressions as SQL text, with literals as `?`."""
