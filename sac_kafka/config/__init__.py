"""Finding and reading `atlas-application.properties`: files, JAAS entries, values and what is secret in them."""
