"""Random sequences of writes through the hook, and a model of what a server holds after their messages."""
