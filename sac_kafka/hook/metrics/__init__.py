"""Export the hook's metrics as a Prometheus text file, as JSON, and through Spark's metrics system."""
