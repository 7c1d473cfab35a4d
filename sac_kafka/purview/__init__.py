"""Dialect `purview`: assets named as Purview's own scans name them, and processes between them."""
