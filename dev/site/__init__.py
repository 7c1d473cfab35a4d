"""The documentation as a site: what mkdocs is told beside mkdocs.yml, and the check of what it has built."""
