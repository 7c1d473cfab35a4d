"""How the settings of Kafka's Java client become those of the client that is used."""
