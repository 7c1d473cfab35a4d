"""Systems that hold rows themselves, and formats that have commands of their own: a file a system, its rows in `SOURCES`."""
