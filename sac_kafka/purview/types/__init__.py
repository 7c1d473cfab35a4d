"""Type definitions of Purview: built-in ones, and custom ones, which `sac-kafka types apply` creates in an account.

Each family is a file `../typedefs/*.json`. A description with "Known" is based on documentation or on definitions published
by Microsoft, one with "Assumed" is not. Built-in types are defined as far as messages use them.
"""
