"""What `sac-kafka doctor` finds on the way to a server: findings, and the steps that every server shares."""
