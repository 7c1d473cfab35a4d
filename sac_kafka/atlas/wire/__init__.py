"""Encode notifications as messages (divide, serialize as V1 or V2, wrap in an envelope, split), and decode messages."""
