"""Tools of developers, which are not in the wheel."""
