"""A real Kafka as a local process, from pinned jars: for the demo, the tests and development; not part of the wheel.

Needs Python and Java 17 only. `python -m stack --help` says what can be started; `stack.kafka.KafkaBroker` is the same
for a test. Nothing here imports pyspark or sac_kafka.
"""
