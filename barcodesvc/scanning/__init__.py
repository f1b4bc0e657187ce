"""What a scanner or a camera sent becomes a product: candidates, best rule first, and one look at the catalogue."""
