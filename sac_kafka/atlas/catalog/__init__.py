"""What happened to a catalog, as notifications: definitions, renames, drops."""
