"""Text for the layout of labels and for file writers: fonts, measuring, line breaking and shaping.

Only this package knows the font libraries (uharfbuzz, pymupdf-fonts).
"""
