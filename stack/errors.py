"""The errors of the local stack."""

from __future__ import annotations


class StackError(Exception):
    """The local stack cannot do what was asked; the message says why and what to do about it."""


class FetchError(StackError):
    """One way of fetching jars did not work; the next one is tried."""
