"""Find and read `atlas-application.properties`: properties files, JAAS entries, values, and masking of secrets."""
