"""Validate messages against a type model: report what a server would drop, ignore or misread, with its place and a fix.

`type_model` has the types, `raw_entity` the entities of both forms. `kinds` checks whether a server can parse the message;
`entities` and `notifications` check its content. All work on the JSON of a message, because parsing it would
already discard or reject the defects.
"""
