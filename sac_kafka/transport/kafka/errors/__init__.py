"""What the errors of both Kafka clients mean, in sentences that a person can act on."""
