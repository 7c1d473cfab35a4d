"""The types of Purview: those that every account has, and our own, which `sac-kafka types apply` gives to an account.

They are `../typedefs/*.json`, a file a family. What a description calls "Known" rests on documentation or on definitions
that Microsoft has published, what it calls "Assumed" on neither. Of built-in types the files have only what messages may hold.
"""
