"""WHAT IT MEANS: from plans to processes: datasets in and out, and the columns that made each other. Pure."""
