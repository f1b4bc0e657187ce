from __future__ import annotations

from barcodesvc.labels.label_content import LabelContent


def test_fields_come_before_lines() -> None:
    """A label has the requested fields in their order, then the lines, without those that are empty."""
    content = LabelContent(("unit_of_measure", "description"), ("Aisle 7", ""))
    assert content.texts(("Bolt", "Hardware", "pcs")) == ("pcs", "Bolt", "Aisle 7")
    assert content.texts(("", "Hardware", "pcs")) == ("pcs", "Aisle 7")


def test_lines_need_no_product() -> None:
    """Codes without a product have labels too."""
    assert LabelContent(lines=("Aisle 7",)).texts(()) == ("Aisle 7",)
