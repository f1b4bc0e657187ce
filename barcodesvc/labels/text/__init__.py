"""Text that is measured, broken into lines and shaped: what the layout of labels and the writers of files share.

The libraries of fonts (uharfbuzz, pymupdf-fonts) are known here alone.
"""
