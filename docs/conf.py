"""Sphinx configuration: `sphinx-build -W docs site`."""

import landbridge

project = "landbridge"
copyright = "2026, the landbridge developers"
release = landbridge.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"landbridge {release}"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
