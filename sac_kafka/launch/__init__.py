"""Run jobs that do not attach the hook themselves: Python programs, and main classes in Scala and Java."""
