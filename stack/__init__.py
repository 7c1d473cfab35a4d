"""A real Kafka and a real Atlas as local processes: for the demo, the tests and development; not part of the wheel.

Kafka runs from pinned jars, Atlas from its pinned war; both need Python and Java 17 only (Atlas' own Java is fetched).
`python -m stack --help` says what can be started; `stack.kafka.KafkaBroker` and `stack.atlas.AtlasServer` are the same
for a test. Nothing here imports pyspark or sac_kafka.
"""
