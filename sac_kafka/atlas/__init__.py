"""Convert processes and catalog changes to Atlas messages: entities, names, notifications, division, encoding. Pure."""
