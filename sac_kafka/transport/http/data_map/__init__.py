"""Send messages as requests to the Data Map of Microsoft Purview, for `atlas.client.type=purview`."""
