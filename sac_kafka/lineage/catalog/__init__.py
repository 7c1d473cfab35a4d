"""What an application has seen of its catalogs: what became of tables, and what they are by now."""
