"""Who may ask and how much, by the head of a request alone: admission, rate limits, keys, heads, foreign pages."""
