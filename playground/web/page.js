// What every part of the page uses: elements, and questions to the library.
"use strict";

const $ = (id) => document.getElementById(id);

// make builds an element: make("p", {class: "hint"}, "text", child, …).
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// set changes those attributes of an element that are not as wanted; "text" is its
// text. It compares with what it set last, which is faster than asking the element.
function set(element, attributes) {
  const was = element.was || (element.was = {});
  for (const [name, value] of Object.entries(attributes)) {
    if (was[name] === value) continue;
    was[name] = value;
    if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
}

// keyed makes the children of an element those of the items, which are known by
// their names, up to the child tail. Elements that are there stay, and with them the
// focus: an edit touches what it changes, not the whole picture.
function keyed(parent, items, build, update, tail = null) {
  const had = parent.kept || new Map();
  const names = new Set(items.map((item) => item.name));
  for (const [name, element] of had) {
    if (!names.has(name)) element.remove();
  }
  parent.kept = new Map();
  let next = parent.firstElementChild;
  for (const item of items) {
    const element = had.get(item.name) || build(item);
    had.delete(item.name); // of two items of one name the second gets an element of its own
    parent.kept.set(item.name, element);
    update(element, item);
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
  while (next !== tail) {
    const surplus = next;
    next = next.nextElementSibling;
    surplus.remove();
  }
}

// table builds a table that scrolls if it is wider than the page. A cell is a text,
// or {text, class, child}.
function table(titles, rows, caption) {
  const cell = (tag, c, attributes) => {
    const of = typeof c === "object" ? c : { text: c };
    return make(tag, { ...attributes, class: of.class }, of.child || String(of.text));
  };
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, make("table", {},
    make("thead", {}, make("tr", {}, ...titles.map((t) => cell("th", t, { scope: "col" })))),
    make("tbody", {}, ...rows.map((row) => make("tr", { class: row.class }, ...row.cells.map((c) => cell("td", c)))))));
}

// ask puts a question to the library and returns the answer, or throws its error.
function ask(operation, input) {
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  const reply = JSON.parse(globalThis.preemption(operation, text));
  if (reply.error) throw new Error(reply.error);
  return reply.ok;
}

// attempt does something, and shows on the page what goes wrong.
function attempt(something) {
  try {
    return something();
  } catch (error) {
    fail(error);
    return null;
  }
}

function fail(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}
