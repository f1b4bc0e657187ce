"""Scans to products: a scanned text or image becomes ranked candidates, which one query compares with the catalogue."""
