"""Writers of files from drawings of sheets: each knows its format, and no layout."""
