"""Deliver messages to a server: transports with one protocol, `base.Transport`."""
