"""A module of a job."""


def double(x):
    return 2 * x
