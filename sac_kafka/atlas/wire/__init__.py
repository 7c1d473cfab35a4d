"""Notifications as text: divided by size, in either form, within their envelope; and read again."""
