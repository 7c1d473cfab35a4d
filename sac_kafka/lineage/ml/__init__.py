"""Models of Spark ML: what they were fitted to, where they are saved, and what they have made."""
