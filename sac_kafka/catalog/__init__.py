"""Query a catalog server over REST: types, entities, searches, and what was stored of what was sent."""
