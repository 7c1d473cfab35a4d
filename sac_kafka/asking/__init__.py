"""What is asked of a catalog's server over REST: JSON over HTTP, every failure in one sentence with its cure."""
