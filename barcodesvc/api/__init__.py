"""Everything HTTP: requests in, responses out; only this package and app.py know aiohttp."""
