"""HOW ATLAS SAYS IT: from processes to messages: types, names, notifications, envelope, division. Pure."""
