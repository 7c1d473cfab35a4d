"""Command line `sac-kafka`, with one module per sub-command."""
