'use strict';

const token = document.body.dataset.token;
const first = JSON.parse(document.getElementById('study').textContent);
const main = document.getElementById('main');
let study = first;
let panes = [];
let pinned = null;
let marked = [];

// ---- elements: everything from a file becomes text, never markup ------------------------------------

function el(tag, attributes, ...children) {
  const svg = ['svg', 'rect', 'path', 'text'].includes(tag);
  const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

function table(caption, heads, rows) {
  const kind = (value) => (typeof value === 'number' ? 'number' : value.tagName === 'CODE' ? 'algebra' : null);
  const cell = (value) => el('td', {class: kind(value)}, typeof value === 'number' ? String(value) : value);
  return el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption}, el('table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, heads.map((head) => el('th', {scope: 'col'}, head)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map(cell))))));
}

function lineOf(place) {
  const found = /:(\d+):\d+$/.exec(place || '');
  return found ? Number(found[1]) : 0;
}

function inLines(text) {
  return (text || '').replaceAll(`${study.file}:`, '\0').replace(/\0(\d+):\d+/g, 'line $1').replaceAll('\0', `${study.file}:`);
}

function toLine(place, text) {
  const line = lineOf(place);
  if (!line || line > study.source.length) return place || '';
  const go = (event) => { event.preventDefault(); go_to(panes[0], line - 1); };
  return el('a', {href: `#s${line}`, onclick: go}, text || `line ${line}`);
}

// ---- links: each line of a pane knows the lines that it belongs to in the two others ----------------

function linked(program, sources) {
  const asm = study.assembly;
  const compiled = study.optimised || study.raised;
  const links = {source: study.source.map(() => [[], []]), program: [], assembly: []};
  sources.forEach((lines, p) => {
    const own = lines.filter((n) => n <= study.source.length).map((n) => n - 1);
    links.program.push([own, []]);
    for (const n of own) links.source[n][0].push(p);
  });
  if (!asm) return links;
  const sets = asm.sets.map((set) => {
    const from = new Set(set.flatMap((p) => compiled.sources[p - 1] || []).map((n) => n - 1));
    const here = program === compiled ? set.map((p) => p - 1)
      : sources.flatMap((lines, p) => (lines.some((n) => from.has(n - 1)) ? [p] : []));
    return [[...from].filter((n) => n < study.source.length), here];
  });
  asm.from.forEach((number, a) => {
    const [from, here] = sets[number];
    links.assembly.push([from, here]);
    for (const n of from) links.source[n][1].push(a);
    for (const p of here) if (links.program[p]) links.program[p][1].push(a);
  });
  return links;
}

function clear() {
  for (const line of marked) {
    line.classList.remove('on', 'here');
    line.setAttribute('aria-selected', 'false');
  }
  marked = [];
  for (const pane of panes) pane.count.textContent = '';
}

function show(pane, number, scrolls) {
  clear();
  const here = pane.lines[number];
  here.classList.add('here');
  here.setAttribute('aria-selected', 'true');
  marked.push(here);
  panes.filter((other) => other !== pane).forEach((other, k) => {
    const found = pane.links[number] ? pane.links[number][k] : [];
    for (const n of found) {
      other.lines[n].classList.add('on');
      marked.push(other.lines[n]);
    }
    other.count.textContent = `${found.length} linked`;
    if (found.length && scrolls) reveal(other, other.lines[Math.min(...found)]);
  });
}

function reveal(pane, line) {
  const top = line.offsetTop, height = pane.box.clientHeight;
  if (top < pane.box.scrollTop || top + line.offsetHeight > pane.box.scrollTop + height) {
    pane.box.scrollTop = Math.max(0, top - height / 3);
  }
}

function go_to(pane, number) {
  if (!pane.lines.length) return;
  const at = Math.max(0, Math.min(pane.lines.length - 1, number));
  for (const line of pane.lines) if (line.tabIndex === 0) line.tabIndex = -1;
  pane.at = at;
  pane.lines[at].tabIndex = 0;
  pane.lines[at].focus({preventScroll: true});
  reveal(pane, pane.lines[at]);
  pinned = [pane, at];
  show(pane, at, true);
}

function release() {
  pinned = null;
  clear();
}

function across(pane, by) {
  const at = panes.indexOf(pane), to = panes[at + by];
  if (!to || !to.lines.length) return;
  const others = panes.filter((other) => other !== pane);
  const found = pane.links[pane.at] ? pane.links[pane.at][others.indexOf(to)] : [];
  go_to(to, found.length ? Math.min(...found) : to.at);
}

function pressed(pane, event) {
  const page = Math.max(1, Math.floor(pane.box.clientHeight / 18) - 1);
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in steps) go_to(pane, pane.at + steps[event.key]);
  else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') across(pane, event.key === 'ArrowRight' ? 1 : -1);
  else if (event.key === 'Enter' || event.key === ' ') go_to(pane, pane.at);
  else if (event.key === 'Escape') release();
  else return;
  event.preventDefault();
}

// ---- the three panes --------------------------------------------------------------------------------

function pane(id, title, texts, links, decorate, none, ...tools) {
  const made = {id, links, at: 0, count: el('span', {class: 'count', 'aria-live': 'polite'})};
  made.lines = texts.map((text, n) => el('div', {class: 'line', role: 'option', id: `${id}${n + 1}`,
    'data-n': n + 1, tabindex: n === 0 ? 0 : -1, 'aria-selected': 'false', ...decorate(n)}, text));
  made.box = el('div', {class: 'listing', role: 'listbox', 'aria-label': title},
    made.lines.length ? made.lines : el('p', {class: 'none'}, none));
  const numberOf = (event) => {
    const line = event.target.closest('.line');
    return line ? Number(line.dataset.n) - 1 : -1;
  };
  made.box.addEventListener('keydown', (event) => pressed(made, event));
  made.box.addEventListener('click', (event) => numberOf(event) >= 0 && go_to(made, numberOf(event)));
  made.box.addEventListener('focusin', (event) => {
    if (numberOf(event) >= 0 && (!pinned || pinned[0] !== made || pinned[1] !== numberOf(event))) {
      go_to(made, numberOf(event));
    }
  });
  made.box.addEventListener('mouseover', (event) => numberOf(event) >= 0 && show(made, numberOf(event), false));
  made.box.addEventListener('mouseleave', () => (pinned ? show(pinned[0], pinned[1], false) : clear()));
  made.node = el('section', {class: 'pane', 'aria-label': title},
    el('div', {class: 'head'}, el('h2', {}, title), tools, made.count), made.box);
  return made;
}

const WORDS = {raised: 'raised', essential: 'stays, over tensors', kept: 'kept', refused: 'stays in C',
  sequential: 'stays, over tensors'};

function fates() {
  const found = new Map();
  const all = study.loops.length ? study.loops : study.functions.flatMap((f) => f.loops);
  for (const loop of all) found.set(lineOf(loop.where), loop);
  return found;
}

function listings(which) {
  const both = Boolean(study.optimised);
  const program = which === 'raised' || !both ? study.raised : study.optimised;
  const links = linked(program, program ? program.sources : []);
  const loops = fates();
  const fateOf = (n) => {
    const loop = loops.get(n + 1);
    return loop ? {'data-fate': WORDS[loop.fate], 'title': loop.reason,
      'data-kind': loop.fate === 'sequential' ? 'essential' : loop.fate} : {};
  };
  const choose = (name, text) => el('button', {type: 'button', 'data-form': name,
    'aria-pressed': String((program === study.optimised) === (name === 'optimised')),
    onclick: () => { panes_into(name); main.querySelector(`[data-form=${name}]`).focus(); }}, text);
  const asm = study.assembly;
  const edit = token ? el('button', {type: 'button', id: 'edit', onclick: editing}, 'Edit') : null;
  const why = study.error || study.notes.join(' ') || 'Nothing was made of this file.';
  panes = [
    pane('s', 'Source', study.source, links.source, fateOf, 'The file is empty.', edit),
    pane('p', 'Program',
      program ? program.lines : [], links.program, () => ({}), why,
      both ? [choose('optimised', 'Optimised'), choose('raised', 'As raised')] : null),
    pane('a', 'Assembly', asm ? asm.lines : [], links.assembly, () => ({}), why),
  ];
  pinned = null;
  marked = [];
  return el('div', {class: 'panes', id: 'panes'}, panes.map((each) => each.node));
}

function panes_into(which) {
  document.getElementById('panes').replaceWith(listings(which));
}

// ---- what is known ----------------------------------------------------------------------------------

function grade(verdict) {
  if (!verdict) return '';
  return verdict.startsWith('proved') ? 'good' : verdict.startsWith('refuted') ? 'bad' : 'so-so';
}

function verdicts() {
  const rows = study.functions.map((f) => el('article', {},
    el('h3', {}, el('code', {}, f.name)),
    el('p', {class: grade(f.verdict)}, f.verdict || 'Nothing of it was raised.'),
    f.assumptions.length ? el('p', {}, 'It is assumed that') : null,
    el('ul', {}, f.assumptions.map((a) => el('li', {}, a.condition, a.where ? [' (', toLine(a.where), ')'] : '')))));
  const said = study.remarks.filter((line) => / assumed /.test(line));
  return el('section', {id: 'known'}, el('h2', {}, 'What is known'), rows,
    said.length ? [el('h3', {}, 'Assumed on the way'), el('ul', {}, said.map((line) => el('li', {}, remark(line))))] : null,
    rows.length ? null : el('p', {}, 'No function was raised.'));
}

function remark(line) {
  const found = /^(.*?:\d+:\d+): remark: (.*)$/.exec(line);
  return found ? [toLine(found[1]), ': ', found[2]] : [line.replace(/^.*?: remark: /, '')];
}

function loops() {
  const all = study.loops.length ? study.loops
    : study.functions.flatMap((f) => f.loops.map((loop) => ({...loop, function: f.name})));
  if (!all.length) return null;
  const rows = all.map((loop) => [toLine(loop.where), loop.function, WORDS[loop.fate], inLines(loop.reason)]);
  const kept = study.functions.flatMap((f) => f.loops.filter((loop) => loop.needs));
  return el('section', {id: 'loops'}, el('h2', {}, 'Loops'),
    table('What became of each loop', ['place', 'function', 'it', 'because'], rows), kept.map(dependence));
}

function dependence(loop) {
  const needs = loop.needs, far = needs.most === needs.least ? String(needs.least)
    : needs.most ? `${needs.least} to ${needs.most}` : `${needs.least} or more`;
  const box = (x, text) => [el('rect', {x, y: 34, width: 110, height: 30, rx: 5}),
    el('text', {x: x + 55, y: 53, 'text-anchor': 'middle'}, text)];
  const said = `${needs.array}: iteration i reads what iteration i − ${far} has stored`;
  return el('figure', {class: 'dependence'},
    el('svg', {viewBox: '0 0 330 70', role: 'img', 'aria-label': said},
      box(5, `iteration i − ${needs.least}`), box(215, 'iteration i'),
      el('path', {d: 'M 118 49 H 205'}), el('path', {class: 'tip', d: 'M 205 44 L 214 49 L 205 54 Z'}),
      el('text', {x: 165, y: 40, 'text-anchor': 'middle'}, needs.array)),
    el('figcaption', {}, 'The loop of ', toLine(loop.where), ' stays: ', toLine(needs.read), ' reads what ',
      toLine(needs.stored), ` has stored in ${needs.array}, ${far} iteration${far === '1' ? '' : 's'} before.`));
}

function parts() {
  const rows = study.functions.flatMap((f) => f.parts.map((part) => [toLine(part.where),
    el('code', {}, part.computes || part.reason || ''), part.operations, part.enumerated, `${part.seconds.toFixed(2)} s`]));
  return rows.length ? el('section', {id: 'parts'}, el('h2', {}, 'Parts'),
    table('What each part computes, and what finding it took',
      ['place', 'algebra', 'operations', 'candidates', 'time'], rows)) : null;
}

function remarks() {
  const lines = [...study.notes, ...study.remarks];
  return lines.length ? el('details', {id: 'remarks'}, el('summary', {}, `All ${lines.length} remarks`),
    el('ul', {}, lines.map((line) => el('li', {}, remark(line))))) : null;
}

function pictures() {
  return study.pictures.length ? el('details', {id: 'pictures'}, el('summary', {}, 'E-graphs'),
    el('p', {}, 'Boxes with a broken line are classes: what stands in one of them has one value.'),
    study.pictures.map(([name, svg]) => el('div', {class: 'wide picture', tabindex: 0, role: 'region',
      'aria-label': `E-graph of ${name}`}, el('h3', {}, name),
      el('img', {alt: `E-graph of ${name}`, src: `data:image/svg+xml,${encodeURIComponent(svg)}`})))) : null;
}

// ---- what only a server can do ----------------------------------------------------------------------

async function ask(request) {
  try {
    const answer = await fetch('/', {method: 'POST', body: JSON.stringify(request),
      headers: {'Content-Type': 'application/json', 'X-Raise-Explore': token}});
    return answer.ok ? await answer.json() : {error: `the server refuses this (${answer.status})`};
  } catch (error) {
    return {error: 'raise-explore does not answer; is it still running?'};
  }
}

async function busy(button, work) {
  const text = button.textContent;
  button.disabled = true;
  button.textContent = 'Working …';
  await work();
  button.disabled = false;
  button.textContent = text;
}

const text = () => study.source.join('\n') + '\n';

function editing() {
  const box = panes[0].box;
  const area = el('textarea', {id: 'text', spellcheck: 'false', 'aria-label': 'Source, to be edited'});
  area.value = text();
  const raise = el('button', {type: 'button', id: 'raise', title: 'Ctrl+Enter'}, 'Raise again');
  const said = el('p', {class: 'said bad', role: 'alert'});
  const again = () => busy(raise, async () => {
    const found = await ask({do: 'study', text: area.value});
    if (found.source && !found.error) {
      study = found;
      render();
      document.getElementById('edit').focus();
    } else {
      said.textContent = inLines(found.error);
    }
  });
  raise.addEventListener('click', again);
  area.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) again();
    if (event.key === 'Escape' && area.value === text()) render();
  });
  const leave = el('button', {type: 'button', onclick: render}, 'Leave as it was');
  document.getElementById('edit').replaceWith(raise, leave);
  box.replaceWith(said, area);
  release();
  area.focus();
}

function chooser(names) {
  return el('select', {'aria-label': 'Function'}, names.map((name) => el('option', {value: name}, name)));
}

function speed() {
  const sizes = study.assembly ? study.assembly.sizes : {};
  const names = Object.keys(sizes);
  if (!names.length) return null;
  const rows = el('tbody', {}), said = el('p', {role: 'status'});
  const fields = el('span', {}), choice = chooser(names);
  const fill = () => fields.replaceChildren(...sizes[choice.value].map((name) => el('label', {}, `${name} `,
    el('input', {name, type: 'number', min: 0, value: 256}), ' ')));
  const button = el('button', {type: 'submit'}, 'Run both');
  choice.addEventListener('change', fill);
  fill();
  const run = (event) => {
    event.preventDefault();
    const given = Object.fromEntries([...fields.querySelectorAll('input')].map((i) => [i.name, Math.trunc(Number(i.value))]));
    busy(button, async () => {
      const found = await ask({do: 'measure', text: text(), function: choice.value, sizes: given});
      said.textContent = found.reason || found.error || `Medians of 7 samples; gcc is ${found.command}.`;
      if (found.ours) rows.append(measurement(choice.value, found));
    });
  };
  return el('section', {id: 'speed'}, el('h2', {}, 'Speed on this machine'),
    el('form', {onsubmit: run}, choice, fields, button), said,
    el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Times'}, el('table', {}, el('thead', {},
      el('tr', {}, ['function', 'sizes', 'raised', 'gcc', 'gcc / raised', 'results differ by']
        .map((head) => el('th', {scope: 'col'}, head)))), rows)));
}

function measurement(name, found) {
  const time = (t) => (t.median < 1e-3 ? `${(t.median * 1e6).toPrecision(3)} µs` : `${(t.median * 1e3).toPrecision(3)} ms`);
  const sizes = Object.entries(found.sizes).map(([n, v]) => `${n} = ${v}`).join(', ');
  const far = found.agree === null ? 'values that are no numbers' : found.agree === 0 ? 'nothing' : found.agree.toExponential(1);
  return el('tr', {}, [name, sizes, time(found.ours), time(found.gcc),
    `${(found.gcc.median / found.ours.median).toPrecision(3)}x`, far].map((value) => el('td', {}, value)));
}

function comparing() {
  const names = study.functions.map((f) => f.name);
  if (!names.length || text() === first.source.join('\n') + '\n') return null;
  const choice = chooser(names), found = el('div', {role: 'status'});
  const button = el('button', {type: 'button', id: 'compare'}, 'Compare with the file as it was');
  button.addEventListener('click', () => busy(button, async () => {
    const before = first.source.join('\n') + '\n';
    const answer = await ask({do: 'compare', text: text(), before, function: choice.value});
    found.replaceChildren(...difference(answer));
  }));
  return el('section', {id: 'comparison'}, el('h2', {}, 'Edited and original'),
    el('form', {onsubmit: (event) => event.preventDefault()}, choice, button), found);
}

function difference(answer) {
  const said = el('p', {class: grade(answer.level)}, answer.error || answer.text);
  const example = answer.counterexample;
  if (!example || !example.output) return [said];
  const names = answer.arguments || [];
  const named = (name) => names[Number((/^(?:argument |a|n)(\d+)$/.exec(name) || [])[1])] || name;
  const size = (name) => { const at = /^a(\d+)_(\d+)$/.exec(name); return at ? `extent ${at[2]} of ${names[at[1]]}` : named(name); };
  const at = (name, index) => named(name) + (index.length ? `[${index.join(', ')}]` : '');
  const rows = [...example.sizes.map(([name, value]) => ['size', size(name), String(value)]),
    ...example.inputs.map(([name, index, value]) => ['input', at(name, index), value]),
    ['result of the original', at(example.output, example.index), example.source],
    ['result of the edited', at(example.output, example.index), example.target]];
  return [said, table('A call that tells the two apart; all other inputs are 0', ['what', 'name', 'value'], rows)];
}

// ---- the page ---------------------------------------------------------------------------------------

function summary() {
  const all = [...fates().values()];
  const raised = all.filter((loop) => loop.fate === 'raised').length;
  const proved = study.functions.filter((f) => (f.verdict || '').startsWith('proved')).length;
  const tried = study.functions.filter((f) => f.verdict).length;
  const asm = study.assembly ? `${study.assembly.lines.length} lines of assembly for ${study.machine.cpu}` : 'no code';
  const cut = study.assembly && study.assembly.cut ? `, ${study.assembly.cut} more are not shown` : '';
  return `${raised} of ${all.length} loops raised · ${proved} of ${tried} functions proved · ${asm}${cut}`;
}

function render() {
  document.getElementById('summary').textContent = summary();
  const key = (name) => el('kbd', {}, name);
  const about = [verdicts(), parts(), loops(), token ? speed() : null, token ? comparing() : null, pictures(), remarks()];
  main.replaceChildren(...[study.error ? el('p', {class: 'alert', role: 'alert'}, study.error) : null,
    listings('optimised'),
    el('p', {class: 'hint'}, 'Point at a line, or choose one with ', key('↑'), ' ', key('↓'),
      ', to see where it comes from and what became of it; ', key('←'), ' ', key('→'), ' follow the link, ', key('Esc'),
      ' lets go. An operation that belongs to a whole loop nest is linked to the line of the loop.'),
    el('div', {class: 'about'}, about.filter(Boolean))].filter(Boolean));
}

render();
