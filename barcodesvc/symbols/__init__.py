"""Encoders: content in, modules out; one file per encoding library, nothing is drawn here."""
