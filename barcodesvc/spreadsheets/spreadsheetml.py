"""The names that SpreadsheetML files share, in both of their dialects.

ECMA-376-1 (strict) and ECMA-376-4 (transitional, what programs write unless set otherwise) differ in
namespaces.
"""

from __future__ import annotations

NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
"""The namespaces of workbook, sheets, styles and shared strings."""

RELATIONSHIP_IDS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)
"""The attribute `r:id` as the parser names it."""

TRUE = ("1", "true", "on")
"""Spellings of a set boolean attribute (ST_OnOff, xsd:boolean)."""
