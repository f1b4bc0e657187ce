"""barcodesvc: a product catalogue, inventory levels, barcodes, QR codes and label sheets over HTTP."""
