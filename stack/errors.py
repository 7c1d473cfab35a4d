"""The errors of the local stack."""

from __future__ import annotations


class StackError(Exception):
    """The local stack has failed; the message has the reason and the fix."""


class FetchError(StackError):
    """One way of fetching jars did not work; the next one is tried."""
