"""Diagnose a configuration for `sac-kafka doctor`: this machine, the way to the server, and a trial message."""
