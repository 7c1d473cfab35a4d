"""Load plug-ins, check what they declare, and guard the calls into them."""
