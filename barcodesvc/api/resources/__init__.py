"""The resources of the API, a file each: what a client asks for and what it is answered."""
