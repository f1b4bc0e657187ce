"""Reading images: file to grey pixels, one look with zxing-cpp, further looks, and which readings are codes."""
