"""The rules service: decides what a command does to a table, and nothing else. No storage, no clock."""
