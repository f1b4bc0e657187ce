"""Label sheets: the grid of labels on a page, the layout of each label, and drawings in whole dots for writers."""
