"""Messages held against a model: what a server would drop, ignore or misread, each with its place and fix.

`type_model` is the model, `given` what stands in a message, whatever its form, `values`, `entities` and `notifications` say
what is wrong with it. Works on JSON, as what is wrong with a message is lost once it is read.
"""
