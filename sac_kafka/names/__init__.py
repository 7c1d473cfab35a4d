"""Name datasets as their systems do: paths, JDBC URLs, OpenLineage names, configured aliases."""
