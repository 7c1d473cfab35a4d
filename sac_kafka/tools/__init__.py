"""What people use apart from the hook: the commands, and what reads, draws, verifies and diagnoses what a hook has sent.

The hook imports nothing of it, but through `hook/doors.py` and the console sink, on first use.
"""
