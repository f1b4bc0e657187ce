"""Forms with files, as browsers and programs send them: multipart/form-data, byte by byte with the boundary XX."""

from aiohttp import FormData

KIND = "multipart/form-data; boundary=XX"
MULTIPART = {"Content-Type": KIND}
END = b"\r\n--XX--\r\n"


def part(name: str, content: bytes = b"", *headers: bytes, filename: str = "") -> bytes:
    """Return a part up to the end of its content."""
    shown = f'; filename="{filename}"' if filename else ""
    disposition = f'Content-Disposition: form-data; name="{name}"{shown}'.encode()
    return b"--XX\r\n" + b"\r\n".join([disposition, *headers]) + b"\r\n\r\n" + content


def form(*parts: bytes) -> bytes:
    """Return the body of a form."""
    return b"\r\n".join(parts) + END


def form_head(path: str, length: int) -> bytes:
    """Return the head of a request with a form of this many bytes."""
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {KIND}\r\nContent-Length: {length}\r\n\r\n".encode()


def form_data(content: bytes, name: str = "file", filename: str = "products.xlsx", **texts: str) -> FormData:
    """Return a form of a file and texts for aiohttp's client."""
    made = FormData()
    made.add_field(name, content, filename=filename, content_type="application/octet-stream")
    for text_name, text in texts.items():
        made.add_field(text_name, text)
    return made
