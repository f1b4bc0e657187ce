"""Everything HTTP: requests in, answers out; alone, beside app.py, it knows aiohttp."""
