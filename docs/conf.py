"""Configuration of Sphinx, which builds the site with `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import generate_api  # noqa: E402
import generate_commands  # noqa: E402
import generate_configuration  # noqa: E402 - found through the path above

(HERE / "configuration.md").write_text(generate_configuration.page(), "utf-8")
(HERE / "commands.md").write_text(generate_commands.page(), "utf-8")
(HERE / "api.md").write_text(generate_api.page(), "utf-8")

project = "Citestream"
author = "The Citestream authors"
extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist", "linkify"]
myst_heading_anchors = 4
myst_linkify_fuzzy_links = False
exclude_patterns = ["_build", "start.md"]  # index.md includes start.md
nitpicky = True
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_title = "Citestream"
html_favicon = "../proxy/playground/icon.svg"
html_show_sphinx = False
