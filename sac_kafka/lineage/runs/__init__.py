"""Describe a run: metrics, failure, plan text, requester, and the name of its job."""
