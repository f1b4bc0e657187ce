"""What codes and labels have in common: shapes in whole dots, letters, and the painter of dots.

Only this package and the shaping of labels know the font libraries (uharfbuzz, pymupdf-fonts).
"""
