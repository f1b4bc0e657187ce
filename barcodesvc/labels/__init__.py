"""Label sheets: geometry in millimetres and PDF pages."""
