"""Label sheets: where labels lie, what stands on each, and the drawing in whole dots that a writer makes a file of."""
