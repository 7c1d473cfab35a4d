"""The spool: private Avro files that keep what another transport could not deliver, until it can.

`spool.Spool` wraps a transport and decides what is sent when. `keeping` puts records into files, `backlog` has all files
in order, `segment` is one file, `blocks` and `codec` are what is in it. Each on its own: `account` (what it can
tell), `adoption` of what dead drivers have left, `inherited` (whose turn it is), `aside` (what is not replayed),
`contained` (a transport that does not raise), `directory`, `inspection` (for people), `locks`, `names`, `options`,
`quota`, `replaying`, `retries`, `suspect` (which one is to blame), `tally`, `under_way`.
"""
