"""Who may ask and how much: admission, limits, keys, the addresses of clients, heads and foreign pages."""
