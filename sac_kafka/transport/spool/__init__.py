"""The spool: private Avro files that keep what another transport could not deliver, until it can.

`spool.Spool` wraps a transport. `writer` puts records into files, `schedule` decides what is sent next, `outcomes` handles
what the transport reports. `backlog` has all files in order, `segment` is one file, `blocks` and `codec` its content.
`adoption` and `orphans` take over the files of dead writers; `dead_letters` has the files that are not replayed. Others:
`counters`, `directory`, `guarded` (a transport that does not raise), `in_flight`, `inspection` (for commands), `locks`,
`names`, `options`, `poison` (finds a record that blocks the others), `quota`, `replaying`, `retries`, `stats`, `workspace`.
"""
