"""REST client of a catalog server: JSON over HTTP, each failure explained in one sentence with a remedy."""
