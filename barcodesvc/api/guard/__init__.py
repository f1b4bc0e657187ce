"""Guards that decide by a request's head whether it is served: admission, rate limits, keys, headers, CSRF."""
