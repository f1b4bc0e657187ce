"""The OpenAPI document, generated from the route table and the models, and the page that shows it."""
