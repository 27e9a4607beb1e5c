// The page of the playground. It keeps one situation, asks the library about it
// after every change, and shows the answer; see situation.Session for the questions.
"use strict";

let presets = [];
let situation = null;
let answer = null; // of the library, null if it had an error
let step = 0;
let now = null; // the step at hand
let play = null; // the time line, if it is looked at
let frame = 0;
let timer = 0; // of the time line while it plays
let selected = null; // the name of a pod
let selectedNode = null;
let later = 0; // the timer of what can wait until the answer is on the page

// ---- state and address

// change edits the situation, which is no preset any more.
function change(edit) {
  situation.title = undefined;
  $("preset").value = "";
  edit(situation);
  refresh();
}

function load(next) {
  situation = next;
  situation.nodes = situation.nodes || [];
  situation.pods = situation.pods || [];
  situation.pending = situation.pending || [];
  selected = selectedNode = null;
  $("preset").value = String(presets.findIndex((p) => p.title === situation.title));
  if ($("preset").selectedIndex < 0) $("preset").value = "";
  $("release").value = situation.release;
  $("victims").value = situation.victims || "";
  $("budgetPolicy").value = situation.budgetPolicy || "";
  $("budgets-part").open = Boolean(situation.budgets && situation.budgets.length);
  refresh();
}

// refresh asks again and draws what has changed. The times that it takes, and until
// it is on the page, are kept for the tests.
function refresh() {
  const began = performance.now();
  stop();
  play = null;
  $("error").hidden = true;
  answer = attempt(decide);
  const answered = performance.now();
  step = Math.max(0, steps() - 1);
  draw();
  const drawn = performance.now();
  clearTimeout(later);
  requestAnimationFrame(() => {
    clearTimeout(later);
    later = setTimeout(() => {
      const took = { library: answered - began, drawing: drawn - answered, shown: performance.now() - began };
      document.documentElement.dataset.took = JSON.stringify(took);
      if ($("compare-part").open) drawComparison();
      if ($("play-part").open) startPlay();
      later = setTimeout(keep, situation.pods.length > 500 ? 300 : 0); // packing many pods takes a moment
    }, 0);
  });
}

let sent = []; // the pods as the library knows them, each as JSON

// decide asks the library about the situation. Of the pods it tells those that have
// changed: thousands would take it longer to read than to decide.
function decide() {
  const had = sent;
  const pods = situation.pods.map((p) => JSON.stringify(p));
  const shorter = Math.min(pods.length, had.length);
  let first = 0;
  while (first < shorter && pods[first] === had[first]) first++;
  let last = 0;
  while (last < shorter - first && pods[pods.length - 1 - last] === had[had.length - 1 - last]) last++;
  sent = []; // should this fail, all are told again
  const got = ask("decide", { ...situation, pods: situation.pods.slice(first, pods.length - last), first, last });
  sent = pods;
  return got;
}

// keep writes the situation into the address.
function keep() {
  attempt(() => history.replaceState(null, "", "#" + ask("link", situation)));
}

function draw() {
  $("count").value = situation.nodes.length;
  $("counted").textContent = situation.nodes.length;
  drawAnswer();
  drawCluster();
  drawEditor();
  drawBudgets();
}

// ---- editing

function find(podName) {
  return situation.pods.find((p) => p.name === podName) || situation.pending.find((p) => p.name === podName);
}

function freshName(prefix) {
  for (let i = 1; ; i++) if (!find(prefix + i)) return prefix + i;
}

// choosePod opens a pod to be changed, or removes it, as the page is set.
function choosePod(podName) {
  if (!find(podName)) return; // created by the simulation
  if ($("click").value === "remove") { removePod(podName); return; }
  selected = podName;
  selectedNode = null;
  drawCluster();
  drawEditor();
  $("editor").querySelector("input").focus();
}

function chooseNode(name) {
  selectedNode = name;
  selected = null;
  drawCluster();
  drawEditor();
  $("editor").querySelector("input").focus();
}

// close closes the editor and gives the focus back to where it was opened.
function close() {
  const back = selected ? `[data-pod="${CSS.escape(selected)}"]` : `[data-node="${CSS.escape(selectedNode)}"] h4 button`;
  selected = selectedNode = null;
  drawCluster();
  drawEditor();
  const element = document.querySelector(back);
  if (element) element.focus();
}

// addPod adds a pod to a node, or to those that are pending, like the last one there.
function addPod(node) {
  const name = freshName("new-");
  selected = name;
  selectedNode = null;
  change((s) => {
    const start = 1 + Math.max(0, ...s.pods.map((p) => p.start || 0));
    if (node) s.pods.push({ name, node, priority: 0, cpu: 500, labels: { app: "new" }, start });
    else s.pending.push({ name, priority: 1000, cpu: 500, labels: { app: "new" } });
  });
}

function removePod(podName) {
  if (selected === podName) selected = null;
  change((s) => {
    s.pods = s.pods.filter((p) => p.name !== podName);
    s.pending = s.pending.filter((p) => p.name !== podName);
  });
}

// movePod puts a pod on a node, or among the pending ones.
function movePod(podName, node) {
  const pod = find(podName);
  if (!pod || (pod.node || "") === node) return;
  change((s) => {
    s.pods = s.pods.filter((p) => p.name !== podName);
    s.pending = s.pending.filter((p) => p.name !== podName);
    if (node) s.pods.push({ ...pod, node });
    else s.pending.push({ ...pod, node: undefined });
  });
}

const whole = (text) => Math.trunc(Number(text)) || 0;

const podFields = [["priority", "Priority"], ["cpu", "cpu (m)"], ["memory", "memory (Mi)"], ["gpu", "GPUs"], ["start", "Start (s)"], ["grace", "Grace (s)"]];
const nodeFields = [["cpu", "cpu (m)"], ["memory", "memory (Mi)"], ["gpu", "GPUs"], ["pods", "Pods at most (0: 110)"]];

// drawEditor shows the form of the chosen pod or node. While the same is chosen the
// form stays and only its values change, so that the Tab key goes on where it is.
function drawEditor() {
  const editor = $("editor");
  const pod = selected && find(selected);
  const node = selectedNode && situation.nodes.find((n) => n.name === selectedNode);
  const of = pod || node;
  const key = of && JSON.stringify([pod ? "pod" : "node", of.name, situation.nodes.map((n) => n.name)]);
  if (editor.shown !== key) {
    editor.shown = key;
    editor.replaceChildren(...(of ? [buildEditor(of, Boolean(pod))] : []));
  }
  if (!of) return;
  for (const input of editor.querySelectorAll("[data-field]")) {
    const field = input.dataset.field;
    if (field === "never") input.checked = Boolean(of.never);
    else if (input !== document.activeElement) {
      input.value = { app: (of.labels || {}).app || "", node: of.node || "" }[field] ?? (of[field] || 0);
    }
  }
}

function buildEditor(of, isPod) {
  const chosen = () => (isPod ? find(of.name) : situation.nodes.find((n) => n.name === of.name));
  const number = ([field, title]) => make("label", {}, title, make("input", {
    type: "number", step: "1", "data-field": field, value: of[field] || 0,
    onchange: (event) => change(() => { chosen()[field] = whole(event.target.value); }),
  }));
  const form = make("form", { onsubmit: (event) => event.preventDefault(), onkeydown: (event) => { if (event.key === "Escape") close(); }, "aria-label": of.name },
    make("strong", {}, of.name), ...(isPod ? podFields : nodeFields).map(number));
  if (isPod) {
    form.append(
      make("label", {}, "App", make("input", { type: "text", size: "10", "data-field": "app", value: (of.labels || {}).app || "",
        onchange: (event) => change(() => { const p = chosen(), app = event.target.value.trim(); p.labels = app ? { ...p.labels, app } : undefined; }) })),
      make("label", {}, make("input", { type: "checkbox", "data-field": "never", checked: Boolean(of.never), onchange: (event) => change(() => { chosen().never = event.target.checked; }) }), "policy Never"),
      make("label", {}, "Node", make("select", { id: "move", "data-field": "node", onchange: (event) => movePod(of.name, event.target.value) },
        make("option", { value: "" }, "pending"), ...situation.nodes.map((n) => make("option", { value: n.name, selected: n.name === of.node }, n.name)))),
      make("button", { type: "button", id: "remove", onclick: () => {
        const node = chosen().node || "";
        removePod(of.name);
        document.querySelector(`[data-node="${CSS.escape(node)}"] [data-add]`).focus();
      } }, "Remove"));
  }
  form.append(make("button", { type: "button", onclick: close }, "Done"));
  return form;
}

const budgetFields = [["app", "over app"], ["allowed", "allows"], ["min", "min available"], ["max", "max unavailable"]];

function drawBudgets() {
  keyed($("budgets"), situation.budgets || [], buildBudget, (row, b) => {
    for (const input of row.querySelectorAll("input")) {
      const field = input.dataset.budget;
      if (input !== document.activeElement) input.value = field === "app" ? (b.labels || {}).app || "" : b[field] || (field === "allowed" ? 0 : "");
    }
  });
}

function buildBudget({ name }) {
  const put = (field, text) => change((s) => {
    const b = s.budgets.find((x) => x.name === name);
    if (field === "app") b.labels = text ? { app: text } : {};
    else if (field === "allowed") b.allowed = whole(text);
    else {
      b.min = b.max = undefined; // of the two a budget has one
      b[field] = text || undefined;
    }
  });
  return make("div", { class: "budget bar" }, make("strong", {}, name),
    ...budgetFields.map(([field, title]) => make("label", {}, title, make("input", {
      type: field === "allowed" ? "number" : "text", step: "1", "data-budget": field, onchange: (event) => put(field, event.target.value.trim()),
    }))),
    make("button", { type: "button", "aria-label": `Remove budget ${name}`, onclick: () => {
      change((s) => { s.budgets = s.budgets.filter((x) => x.name !== name); });
      $("add-budget").focus();
    } }, "Remove"));
}

function addBudget() {
  change((s) => {
    s.budgets = s.budgets || [];
    let i = 1;
    while (s.budgets.some((b) => b.name === `budget-${i}`)) i++;
    const first = s.pods.find((p) => p.labels && p.labels.app);
    s.budgets.push({ name: `budget-${i}`, labels: { app: first ? first.labels.app : "web" }, allowed: 0 });
  });
}

// setCount adds copies of the last node with its pods, or removes the last ones.
function setCount(n) {
  change((s) => {
    while (s.nodes.length > n) {
      const gone = s.nodes.pop();
      s.pods = s.pods.filter((p) => p.node !== gone.name);
    }
    const names = new Set([...s.pods, ...s.pending].map((p) => p.name));
    const fresh = (prefix) => {
      let i = 1;
      while (names.has(prefix + i)) i++;
      names.add(prefix + i);
      return prefix + i;
    };
    while (s.nodes.length < n) {
      const like = s.nodes[s.nodes.length - 1] || { cpu: 4000 };
      let i = s.nodes.length + 1;
      while (s.nodes.some((x) => x.name === `node-${i}`)) i++;
      const name = `node-${i}`;
      for (const p of s.pods.filter((x) => x.node === like.name)) s.pods.push({ ...p, name: fresh(p.name.replace(/-?\d+$/, "") + "-"), node: name });
      s.nodes.push({ ...like, name });
    }
  });
}

// ---- wiring

function wire() {
  $("preset").append(make("option", { value: "", hidden: true }, "(your own)"), ...presets.map((p, i) => make("option", { value: String(i) }, p.title)));
  $("preset").addEventListener("change", (event) => load(structuredClone(presets[Number(event.target.value)])));
  for (const key of ["release", "victims", "budgetPolicy"]) {
    $(key).addEventListener("change", (event) => change((s) => { s[key] = event.target.value || undefined; }));
  }
  $("settings").addEventListener("submit", (event) => event.preventDefault());
  $("resource").addEventListener("change", drawCluster);
  $("count").addEventListener("input", (event) => setCount(Number(event.target.value)));
  wireCluster();
  $("first").addEventListener("click", () => go(0));
  $("back").addEventListener("click", () => go(step - 1));
  $("next").addEventListener("click", () => go(step + 1));
  $("last").addEventListener("click", () => go(Infinity));
  $("at").addEventListener("input", (event) => go(Number(event.target.value)));
  $("steps-part").addEventListener("toggle", drawSteps);
  $("explain-part").addEventListener("toggle", drawExplanation);
  $("compare-part").addEventListener("toggle", () => { if ($("compare-part").open) drawComparison(); });
  $("play-part").addEventListener("toggle", () => { if ($("play-part").open) startPlay(); else { stop(); play = null; drawCluster(); } });
  $("play").addEventListener("click", toggle);
  $("time").addEventListener("input", (event) => { stop(); showFrame(Number(event.target.value)); });
  $("add-budget").addEventListener("click", addBudget);
  document.querySelectorAll("[data-export]").forEach((button) => button.addEventListener("click", () => attempt(() => {
    $("exported").value = ask(button.dataset.export, situation);
    $("exported").focus();
    $("exported").select();
  })));
  $("import").addEventListener("click", () => {
    $("notes").replaceChildren();
    const got = attempt(() => ask("import", $("imported").value));
    if (!got) {
      $("error").scrollIntoView({ block: "center" });
      return;
    }
    load(got.situation);
    $("notes").replaceChildren(...(got.notes || []).map((n) => make("li", {}, n)));
  });
  addEventListener("hashchange", open);
}

// open shows the situation of the address, or the first preset.
function open() {
  const link = location.hash.slice(1);
  let error = null;
  if (link) {
    try { load(ask("open", link)); return; } catch (e) { error = e; }
  }
  load(structuredClone(presets[0]));
  if (error) fail(error);
}

addEventListener("preemption-ready", () => {
  presets = ask("presets");
  wire();
  open();
  document.documentElement.dataset.ready = performance.now().toFixed(0);
});

const go_ = new globalThis.Go();
WebAssembly.instantiateStreaming(fetch("preemption.wasm"), go_.importObject)
  .then((result) => go_.run(result.instance))
  .catch(fail);
