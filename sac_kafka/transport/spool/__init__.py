"""The spool: private Avro files that keep what another transport could not deliver, until it can.

`spool.Spool` wraps a transport. Below it, each on its own: `backlog` (all files in order), `segment` (one file),
`blocks` and `codec` (what is in a file), `names`, `locks`, `directory`, `aside` (what is not replayed), `retries`.
"""
