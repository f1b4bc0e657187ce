"""Encoders: content in, modules out. Nothing is drawn here."""
