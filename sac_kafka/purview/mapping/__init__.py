"""Rules of the user: what assets are called where the general rules do not say what a scan has found."""
