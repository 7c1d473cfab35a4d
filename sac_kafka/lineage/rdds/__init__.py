"""Find the origin of RDDs, in jobs that write them and in queries that start from one."""
