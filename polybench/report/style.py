"""The look of the page, and the few lines of script that open what a link points at."""

from raising.support.look import COLOURS

PLOTS = """
svg text { fill: var(--text); } svg .head { font-weight: 600; font-size: 14px; } .grid { stroke: var(--line); }
.bar { fill: var(--bar); } .bar.strong, .dot.strong { fill: var(--ours); } .dot { stroke: var(--back); }
.ring { fill: none; stroke: var(--ours); stroke-width: 2; }
.c0 { fill: #b3541e; } .c1 { fill: #2e7d32; } .c2 { fill: #7b1fa2; } .c3 { fill: #00838f; } .c4 { fill: #ad8b00; }
.c5 { fill: #c2185b; } .c6 { fill: #5d6d7e; } .c7 { fill: #6d4c41; }
"""
"""How plots look, on the page and alone."""

STYLE = (
    f"""{COLOURS}{PLOTS}"""
    + """
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 1100px; padding: 1rem; }
a { color: var(--ours); }
a:focus, summary:focus, [tabindex]:focus { outline: 3px solid var(--ours); outline-offset: 2px; }
.skip { position: absolute; left: -999px; } .skip:focus { position: static; }
nav ul, .index { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
caption span { display: inline-block; left: 0; max-width: calc(100vw - 3rem); position: sticky; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top; }
tbody th, .figures td { white-space: nowrap; } td { overflow-wrap: break-word; min-width: 3rem; }
header code { overflow-wrap: anywhere; }
.figures tbody th { background: var(--back); left: 0; position: sticky; }
.wide { overflow-x: auto; } figure { margin: 1.5rem 0; overflow-x: auto; }
svg { width: 100%; min-width: 40rem; height: auto; font: 12px system-ui, sans-serif; }
pre { background: var(--code); overflow: auto; max-height: 32rem; padding: .7rem; font-size: .8rem; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: .7rem; }
.beside > details { min-width: 0; } article { border-top: 1px solid var(--line); margin-top: 2rem; }
"""
)
"""The style sheet of the page."""

SCRIPT = """
addEventListener('hashchange', () => {
  const found = document.getElementById(location.hash.slice(1));
  if (found && found.matches('article')) {
    for (const part of found.querySelectorAll('details')) part.open = true;
    const head = found.querySelector('h3');
    head.tabIndex = -1;
    head.focus();
  }
});
"""
"""Following a link to a kernel opens its listings and moves the focus there."""
