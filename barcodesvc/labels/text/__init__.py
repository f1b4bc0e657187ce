"""Text for the layout of labels: shaping, choice of faces, line breaking."""
