"use strict";
const search = document.getElementById("search"), found = document.getElementById("found");
const entries = [...document.querySelectorAll("details.class")];
const texts = new Map(entries.map(e => [e, e.textContent.toLowerCase()]));

function boxOf(entry) { return document.getElementById("box-" + entry.id); }

function look() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const entry of entries) {
    const fits = words.every(w => texts.get(entry).includes(w));
    entry.hidden = !fits;
    boxOf(entry).classList.toggle("found", fits && words.length > 0);
    count += fits;
  }
  found.textContent = count + " of " + entries.length + " classes";
}

function show(id, scroll) {
  const entry = document.getElementById(id);
  if (!entry || !entry.matches("details.class")) return;
  entry.hidden = false;
  entry.open = true;
  document.querySelectorAll(".here, .below").forEach(e => e.classList.remove("here", "below"));
  const box = boxOf(entry);
  box.classList.add("here");
  box.ownerSVGElement.querySelectorAll(`line[data-from="${id}"]`).forEach(l => l.classList.add("below"));
  if (scroll) entry.scrollIntoView({block: "nearest"});
}

function zoomed(svg) {
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  let [x, y, w, h] = whole, drag = null;
  const set = () => svg.setAttribute("viewBox", [x, y, w, h].join(" "));
  const scale = () => Math.max(w / svg.clientWidth, h / svg.clientHeight);
  const by = (factor, px, py) => {
    const at = svg.getBoundingClientRect(), s = scale();
    const ox = (px - at.left - at.width / 2) * s, oy = (py - at.top - at.height / 2) * s;
    const cx = x + w / 2 + ox, cy = y + h / 2 + oy;
    x = cx - (cx - x) * factor; y = cy - (cy - y) * factor; w *= factor; h *= factor;
    set();
  };
  svg.addEventListener("wheel", e => { e.preventDefault(); by(e.deltaY < 0 ? 0.8 : 1.25, e.clientX, e.clientY); }, {passive: false});
  svg.addEventListener("pointerdown", e => { drag = [e.clientX, e.clientY]; });
  addEventListener("pointerup", () => { drag = null; });
  svg.addEventListener("pointermove", e => {
    if (!drag) return;
    const s = scale();
    x -= (e.clientX - drag[0]) * s; y -= (e.clientY - drag[1]) * s;
    drag = [e.clientX, e.clientY];
    set();
  });
  svg.addEventListener("dblclick", () => { [x, y, w, h] = whole; set(); });
  svg.addEventListener("click", e => {
    const box = e.target.closest("g[id]");
    if (box) show(box.id.slice(4), true);
  });
  const centre = svg.parentElement.querySelectorAll("button");
  centre.forEach(b => b.addEventListener("click", () => {
    const at = svg.getBoundingClientRect();
    by(Number(b.dataset.by), at.left + at.width / 2, at.top + at.height / 2);
  }));
}

document.querySelectorAll("figure svg").forEach(zoomed);
search.addEventListener("input", look);
addEventListener("hashchange", () => show(location.hash.slice(1), true));
look();
show(location.hash.slice(1), true);
