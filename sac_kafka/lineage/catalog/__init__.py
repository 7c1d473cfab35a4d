"""Track the catalogs of an application: changes of tables and databases, and their current definitions."""
