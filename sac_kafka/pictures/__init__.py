"""How lineage is seen: a graph of datasets and processes as a page, a picture, or a text that other tools draw."""
