"""What is said of a run: its figures, its failure, its plan, the name of its job."""
