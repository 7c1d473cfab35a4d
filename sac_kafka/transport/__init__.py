"""How messages get to the server: transports behind one protocol, `base.Transport`."""
