"""A workbook becomes a catalogue, and the catalogue and the stock become workbooks."""
