"""The way over Kafka: a queue that keeps the order, over one of two clients."""
