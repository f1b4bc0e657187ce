"""Writers of SVG and PNG, and the cached, pooled way to them."""
