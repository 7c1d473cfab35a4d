"""An input: flows that scripts, orchestrators and tools state themselves, without Spark."""
