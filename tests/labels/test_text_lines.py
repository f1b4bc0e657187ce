"""Lines of text: product codes in pieces."""

from hypothesis import given, strategies as st

from barcodesvc.labels.text_lines import TextSize, code_lines, least_code_room

CODES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=64)


@given(CODES, st.floats(5, 500), st.floats(4, 72))
def test_codes_are_never_cut(code: str, room: float, size: float) -> None:
    """A product code is printed completely in at most three lines, or not at all if even that is too wide."""
    lines = code_lines(code, room, TextSize(size, 4))
    if lines is None:
        assert least_code_room(code, 4) > room
        return
    pieces = [piece for line in lines for piece, _ in line.texts]
    assert "".join(piece.text for piece in pieces) == code
    assert len(pieces) == len(lines) <= 3
    assert all(piece.width * lines[0].size <= room + 1e-6 for piece in pieces)
