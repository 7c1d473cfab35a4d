"""The spool: private Avro files that keep what another transport could not deliver, until it can.

`spool.Spool` wraps a transport. `writer` puts records into files, `schedule` decides what is sent
next, `in_flight` tracks what was sent, `outcomes` handles what the transport reports, and `stats` counts it. `backlog` has
all files in order, `segment` is one file, `codec` its content. `orphans` takes over the files of dead writers, which `locks`
distinguishes from running ones; `dead_letters` has the files that are not replayed. `workspace` is the directory of this process,
`directory` finds it and names its files, `options` are the settings, and `inspection` is for commands.
"""
