"""The documentation as a site: settings of mkdocs beyond mkdocs.yml, and the check of the built site."""
