"""Everything HTTP: requests in, answers out; the only place, beside app.py, that knows aiohttp."""
