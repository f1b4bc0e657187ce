"""The API described: one OpenAPI document, made of the route table and the models, and a page that shows it."""
