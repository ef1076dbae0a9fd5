"""The look of our pages."""

COLOURS = """
:root { color-scheme: light dark; --back: #fff; --text: #1b1b1f; --faint: #5b5b66; --line: #d5d5dd; --ours: #0b57d0;
  --bar: #8a8a99; --code: #f4f4f8; }
@media (prefers-color-scheme: dark) { :root { --back: #16161a; --text: #ececf1; --faint: #a8a8b5; --line: #3a3a44;
  --ours: #8ab4f8; --bar: #77778a; --code: #1f1f26; } }
"""
"""Every colour has a counterpart in the dark."""
