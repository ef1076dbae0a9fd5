"""The page as one text: its markup, style, script and data, and nothing from elsewhere."""

from __future__ import annotations

import json
import secrets
from html import escape
from pathlib import Path
from typing import Any

from raising.support.look import COLOURS

_HERE = Path(__file__).parent
_NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'"


def page(study: dict[str, Any], token: str = "") -> tuple[str, str]:
    """The page that shows a study, and the policy for its headers; with a `token`, one that can ask a server."""
    nonce = secrets.token_urlsafe(16)
    connect = "connect-src 'self'; frame-ancestors 'none'; " if token else ""
    policy = f"{_NOTHING}; {connect}img-src data:; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'"
    name = escape(str(study["file"]))
    style, script = ((_HERE / name).read_text() for name in ("page.css", "page.js"))
    meta = "" if token else f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}: raise-explore</title>
<link rel="icon" href="data:,">
<style nonce="{nonce}">{COLOURS}{style}</style>
</head>
<body data-token="{token}">
<a class="skip" href="#panes">Skip to the listings</a>
<header><h1>{name}</h1><p id="summary"></p></header>
<main id="main"></main>
<noscript>This page needs the script that it brings along.</noscript>
<script type="application/json" id="study">{_data(study)}</script>
<script nonce="{nonce}">{script}</script>
</body>
</html>
"""
    return text, policy


def _data(study: dict[str, Any]) -> str:
    """JSON that ends no element and begins none."""
    return json.dumps(study).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
