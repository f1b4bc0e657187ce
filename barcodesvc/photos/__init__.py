"""Codes read from images: bytes of an image file in, codes with text and place out; pure functions only."""
