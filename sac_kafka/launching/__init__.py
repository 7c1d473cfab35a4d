"""HOW a job is started that knows nothing of the hook: Python programs, and mains in Scala and Java."""
