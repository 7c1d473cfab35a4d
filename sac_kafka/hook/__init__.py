"""What users hold, and one hook at work: made, run in a thread of its own, ended."""
