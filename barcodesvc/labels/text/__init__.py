"""Text that is measured and shaped: what layout and writers share."""
