"""Workbooks and CSV files to rows of text and back; the only place that knows openpyxl and xlrd."""
