"""What connectors and table formats show of themselves: relations, tables and commands, a file a system."""
