"""Verify over REST that the entities which were sent are stored in the catalog."""
