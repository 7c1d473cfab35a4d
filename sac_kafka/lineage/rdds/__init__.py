"""RDDs: what their rows come from, in jobs that write them and in queries that begin with one."""
