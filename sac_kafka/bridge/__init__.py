"""The command `sac-kafka bridge`: inputs of OpenLineage events, and what turns them into messages."""
