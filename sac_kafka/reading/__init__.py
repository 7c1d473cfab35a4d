"""Read messages from files, spools and topics, for the commands."""
