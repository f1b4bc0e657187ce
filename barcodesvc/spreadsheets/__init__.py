"""Workbooks and CSV files to rows of text and back; the only package that knows openpyxl, xlrd and calamine."""
