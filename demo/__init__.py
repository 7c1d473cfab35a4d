"""The demo: an ordinary PySpark job whose lineage arrives on ATLAS_HOOK of a real Kafka."""
