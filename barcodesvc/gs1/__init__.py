"""GS1 element strings, as scanners send them and as labels carry them.

    gtin                      the trade item's number, and the check digit of GS1
    application_identifiers   the table of AIs, with the format of each one's value
    element_strings           the parser and the writer
    dates                     the century of a date
    digital_link              the same elements as a web address
    printable                 what elements must be if they are printed
    value_rules               rules for a value beyond its format, with the lists in code_lists
    companions                which AIs exclude each other, and which require another one

Rule: reading is lenient and printing is strict. Scans are read with `element_strings` alone, so that a label with an
impossible date still finds its product; `printable` is applied only before printing.
"""
