"""Derive lineage from plans: processes with their input and output datasets and the sources of each column. Pure."""
