"""Check the connection to a server for `sac-kafka doctor`: findings, and the checks that all servers share."""
