"""How Microsoft Purview says it: the assets that its own scans make, and processes between them."""
