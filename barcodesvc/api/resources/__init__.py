"""The resources of the API: one module of handlers each, with the types of their requests and responses."""
