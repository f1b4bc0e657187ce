"""barcodesvc: a product catalogue, inventory levels, barcodes, QR codes and label sheets over HTTP."""

import sys

if sys.platform == "win32":
    raise SystemExit("barcodesvc does not run on Windows itself; run it in a container or in WSL, as README.md says")
