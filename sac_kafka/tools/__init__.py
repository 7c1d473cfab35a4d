"""Provide the commands, and read, draw, verify and diagnose what a hook has sent.

The hook imports nothing of it, but through `hook/doors.py` and the console sink, on first use.
"""
