"""Codes as pictures: the layout of a code, writers of SVG and PNG, and a renderer with a cache and a thread."""
