"""What a developer runs that no user needs: not in the wheel."""
