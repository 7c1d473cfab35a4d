"""Translate the settings of Kafka's Java client for the client that is used."""
