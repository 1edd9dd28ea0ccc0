"""One module per family of file formats; :mod:`landbridge.edges.files` is the table over them."""
