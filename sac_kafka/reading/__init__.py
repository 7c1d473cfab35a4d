"""Messages read back from where they lie or pass: files, spools, the topic of a broker. For the commands."""
