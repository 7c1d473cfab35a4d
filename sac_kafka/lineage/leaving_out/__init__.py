"""What is left out of lineage, by rules (docs/leaving-out.md): `outcomes.kept` is asked between lineage and messages."""
