"""Property tests find the same cases on every machine, and keep nothing on the disk."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("purview", database=None, deadline=None, derandomize=True)
settings.load_profile("purview")
