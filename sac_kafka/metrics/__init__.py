"""The hook's figures for monitoring: one table of metrics, as a file of Prometheus, as JSON, beside Spark's own."""
