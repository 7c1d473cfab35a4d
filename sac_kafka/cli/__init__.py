"""The command line `sac-kafka`: one file a sub-command."""
