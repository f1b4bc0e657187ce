"""What turns drawings of sheets into files: each module knows its own format, and no layout."""
