"""Deliver records to Kafka: an ordered queue over one of two clients, librdkafka or the driver's KafkaProducer."""
