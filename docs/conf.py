"""The documentation site: `make docs` builds it, with every warning an error and without a network."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "agg")

import inventories  # noqa: E402

import softclust  # noqa: E402

project = "softclust"
author = "The softclust developers"
copyright = "The softclust developers, BSD-3-Clause"
version = release = softclust.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.intersphinx",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    # of this folder
    "api_pages",
    "blocks",
    "catalogue_table",
    "mathml",
    "plain_formulas",
    "quiet_role",
    "reproduced",
    "result_tables",
]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build",
    "_ext",
    "_templates",
    "gallery/**/*.py",
    "gallery/**/*.ipynb",
    "gallery/**/*.md5",
]
templates_path = ["_templates"]

nitpicky = True
nitpick_ignore_regex: list[tuple[str, str]] = []

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# A docstring says the types; signatures stay short.
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
autosummary_generate = True
autosummary_generate_overwrite = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "quiet"
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

# Inventories are trimmed files of this folder: no build asks the network.
intersphinx_mapping = inventories.mapping(HERE / "inventories", HERE / "_build" / "inventories")

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py|conftest\.py|/_",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("softclust",),
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # its page would load scripts from a network
    "min_reported_time": 10,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_signature": False,
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "softclust"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {
    "index": [],
    "faq": [],
    "citing": [],
    "changelog": [],
    "contributing": [],
}
html_theme_options = {
    "logo": {"text": "softclust"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
}
