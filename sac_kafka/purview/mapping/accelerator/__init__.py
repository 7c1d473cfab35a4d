"""Read mappings of the Azure Databricks accelerator (`OlToPurviewMappings`), apply them, and convert them to rules."""
