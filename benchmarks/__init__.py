"""What is claimed about speed, memory and sizes, reproducible: `make bench`."""
