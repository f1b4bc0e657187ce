"""Numbers on packs: GTIN, ISBN, ISSN, UPC-E, SSCC, PZN and HIBC.

    check_digits   what is valid: check digits are added or verified, and a refusal says where the fault is
    canonical      what is the same: one spelling for each number
    words, hibc    how it is written: the word before a number, and codes of medical devices
    upce           UPC-E for a UPC-A, and the reverse
    drawn          the GTIN or UPC-E that a symbol of retail or logistics is drawn from

The GTIN itself and its check digit are in `gs1.gtin`, because element strings contain them.
"""
