"""An input: OpenLineage events become processes of the model."""
