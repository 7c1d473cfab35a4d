"""Whether what was sent has arrived in the catalog: the names that were sent, looked up over REST."""
