"""Explain the errors of both Kafka clients: cause and fix in one sentence."""
