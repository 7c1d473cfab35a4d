"""What went through the driver's own Python."""
