"""The mappings of the ADB accelerator (`OlToPurviewMappings`): read with their own meaning, and written as our rules."""
