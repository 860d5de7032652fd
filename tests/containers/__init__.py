"""Tests that need a container engine. Without one they are skipped, and say so in one line."""
