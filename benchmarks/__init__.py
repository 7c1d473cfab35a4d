"""Reproducible figures of speed, memory and sizes: `make bench`."""
