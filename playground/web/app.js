// The page of the playground. It keeps one situation, asks the library about it
// after every change, and shows the answer; see situation.Call for the questions.
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

// ask puts a question to the library and returns the answer, or throws its error.
function ask(operation, input) {
  const text = typeof input === "string" ? input : JSON.stringify(input || {});
  const reply = JSON.parse(globalThis.preemption(operation, text));
  if (reply.error) throw new Error(reply.error);
  return reply.ok;
}

let presets = [];
let situation = null;
let answer = null;
let play = null;
let step = 0;
let frame = 0;
let selected = null; // the name of a pod
let timer = 0;
let keeping = 0;

// ---- state and address

function change(edit) {
  edit(situation);
  refresh();
}

function load(next) {
  situation = next;
  situation.nodes = situation.nodes || [];
  situation.pods = situation.pods || [];
  situation.pending = situation.pending || [];
  selected = null;
  $("preset").value = String(presets.findIndex((p) => p.title === situation.title)); // none: a situation of one's own
  $("release").value = situation.release;
  $("victims").value = situation.victims || "";
  $("budgetPolicy").value = situation.budgetPolicy || "";
  refresh();
}

// refresh asks again and draws everything. Its time is kept for the tests.
function refresh() {
  const began = performance.now();
  stop();
  play = null;
  $("error").hidden = true;
  try {
    answer = ask("decide", situation);
  } catch (error) {
    answer = null;
    fail(error);
  }
  step = answer ? answer.steps.length - 1 : 0;
  draw();
  if ($("compare-part").open) drawComparison();
  if ($("play-part").open) startPlay();
  document.documentElement.dataset.took = (performance.now() - began).toFixed(1);
  clearTimeout(keeping);
  keeping = setTimeout(keep, 0);
}

// keep writes the situation into the address, once the answer is on the page.
function keep() {
  try {
    history.replaceState(null, "", "#" + ask("link", situation));
  } catch (error) {
    fail(error);
  }
}

function fail(error) {
  $("error").textContent = error.message;
  $("error").hidden = false;
}

// ---- drawing

function draw() {
  $("count").value = situation.nodes.length;
  $("counted").textContent = situation.nodes.length;
  drawCluster();
  drawEditor();
  drawBudgets();
  drawAnswer();
}

const scales = { cpu: "m", memory: "Mi", gpu: "" };

// scale is a scale from dark violet over green to yellow, which keeps
// its order for every kind of colour vision; the number is written on the pod too.
const scale = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

// colours maps each priority to its step of the scale.
function colours() {
  const all = [...new Set([...situation.pods, ...situation.pending].map((p) => p.priority))].sort((a, b) => a - b);
  return new Map(all.map((priority, i) => [priority, all.length < 2 ? 0 : Math.round((i / (all.length - 1)) * (scale.length - 1))]));
}

// scene says where pods are: in the step of the decision, or in the frame of the
// time line.
function scene() {
  if (play) return playScene();
  const now = answer && answer.steps[step];
  const pods = situation.pods.map((p) => {
    const here = now && (p.node === now.node || now.kind === "choose");
    const state = [];
    if (here && now.gone.includes(p.name)) state.push(now.kind === "choose" ? "goes" : "gone");
    if (here && (now.pods || []).includes(p.name) && now.kind !== "choose") state.push("tried");
    if (p.terminating) state.push("terminating");
    return { ...p, state };
  });
  return { pods, pending: situation.pending.map((p) => ({ ...p, state: [] })), node: now && now.node };
}

function playScene() {
  const pods = new Map();
  const known = new Map();
  for (const p of [...situation.pods, ...situation.pending]) known.set(p.name, p);
  for (const p of situation.pods) pods.set(p.name, { ...p, state: p.terminating ? ["terminating"] : [] });
  let node = "";
  for (const f of play.frames.slice(0, frame + 1)) {
    node = f.node || "";
    const like = known.get(f.like) || known.get(f.pod) || { name: f.pod, priority: 0 };
    known.set(f.pod, like);
    if (f.state === "gone") pods.delete(f.pod);
    else pods.set(f.pod, { ...like, name: f.pod, node: f.node || "", state: f.state === "terminating" ? ["terminating"] : [] });
  }
  const all = [...pods.values()];
  return { pods: all.filter((p) => p.node), pending: all.filter((p) => !p.node), node };
}

function drawCluster() {
  const now = scene();
  const resource = $("resource").value;
  const most = Math.max(1, ...situation.nodes.map((n) => n[resource] || 0));
  const small = situation.nodes.length > 12;
  const palette = colours();
  const nodes = situation.nodes.map((n) => {
    const pods = now.pods.filter((p) => p.node === n.name);
    const used = pods.filter((p) => !p.state.includes("gone")).reduce((sum, p) => sum + (p[resource] || 0), 0);
    const free = (n[resource] || 0) - used;
    const stack = make("div", { class: "stack", style: `height:${((small ? 8 : 15) * Math.max(0.25, (n[resource] || 0) / most)).toFixed(2)}rem` },
      ...pods.map((p) => podBar(p, n, resource, palette)),
      make("div", { class: "room" }, `${free}${scales[resource]} free`));
    return make("div", {
      class: `node${small ? " small" : ""}${now.node === n.name ? " current" : ""}${n.cordoned ? " cordoned" : ""}`,
      "data-node": n.name,
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => { event.preventDefault(); movePod(event.dataTransfer.getData("text/plain"), n.name); },
    },
    make("h4", {}, n.name + (n.cordoned ? " (cordoned)" : "")), stack,
    make("div", { class: "actions" },
      make("button", { type: "button", "aria-label": `Add a pod to ${n.name}`, onclick: () => addPod(n.name) }, "+ pod"),
      make("button", { type: "button", "aria-label": `${n.cordoned ? "Uncordon" : "Cordon"} ${n.name}`, onclick: () => change(() => { n.cordoned = !n.cordoned; }) }, n.cordoned ? "uncordon" : "cordon")));
  });
  const biggest = { name: "", cpu: most, memory: most, gpu: most };
  const pending = make("div", { class: `node pending${small ? " small" : ""}`, "data-node": "" },
    make("h4", {}, "pending"),
    make("div", { class: "stack" }, ...now.pending.map((p) => podBar(p, biggest, resource, palette))));
  $("cluster").replaceChildren(...nodes, pending);
}

function podBar(p, n, resource, palette) {
  const share = (p[resource] || 0) / Math.max(1, n[resource] || 1);
  const colour = palette.get(p.priority) || 0;
  const budgets = (situation.budgets || []).filter((b) => covers(b, p)).map((b) => b.name);
  const words = [p.name, `priority ${p.priority}`, `${p[resource] || 0}${scales[resource]} ${resource}`,
    ...budgets.map((b) => `under budget ${b}`), ...p.state.map((s) => ({ gone: "away", goes: "has to go", tried: "looked at", terminating: "terminating" })[s])];
  return make("button", {
    type: "button", draggable: "true", title: words.join(", "), "aria-label": words.join(", "), "data-pod": p.name,
    "aria-pressed": String(p.name === selected),
    class: `pod ${p.state.join(" ")}${budgets.length ? " budget" : ""}${colour > 5 ? " light" : ""}`,
    style: `height:${Math.min(100, share * 100).toFixed(2)}%;background-color:${scale[colour]}`,
    onclick: () => { if (find(p.name)) { selected = p.name; draw(); const field = $("editor").querySelector("input"); if (field) field.focus(); } },
    ondragstart: (event) => event.dataTransfer.setData("text/plain", p.name),
  }, `${p.name} · ${p.priority}`);
}

function covers(budget, p) {
  return Object.entries(budget.labels || {}).every(([key, value]) => (p.labels || {})[key] === value);
}

function drawAnswer() {
  const steps = answer ? answer.steps : [];
  $("walk").hidden = steps.length === 0;
  $("headline").textContent = answer ? answer.headline : "";
  $("event").textContent = answer ? answer.event || "(nothing: it fits)" : "";
  $("explain").textContent = answer ? answer.explain || "" : "";
  $("at").max = Math.max(0, steps.length - 1);
  drawSteps();
  drawStep();
  const rows = answer && answer.candidates ? answer.candidates : [];
  const columns = [["node", "Node"], ["violations", "Violations"], ["top", "Top priority"], ["sum", "Priority sum"], ["pods", "Pods"], ["start", "Start"], ["victims", "Victims"]];
  const deciding = { "fewest budget violations": "violations", "lowest top victim priority": "top", "smallest priority sum": "sum", "fewest pods": "pods", "latest start": "start" }[answer && answer.decidedBy];
  $("candidates").replaceChildren();
  if (rows.length) {
    $("candidates").append(make("h3", {}, "Nodes that can be cleared"), make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(([key, title]) => make("th", { scope: "col", class: key === deciding ? "deciding" : null }, title + (key === deciding ? " (decides)" : ""))))),
      make("tbody", {}, ...rows.map((row) => make("tr", { class: row.chosen ? "chosen" : null },
        ...columns.map(([key]) => make("td", { class: key === deciding && row.chosen ? "deciding" : null },
          (Array.isArray(row[key]) ? row[key].join(", ") : String(row[key])) + (key === "node" && row.chosen ? " ★" : "")))))))));
  }
}

// drawSteps lists the steps, thousands of them in a large cluster, if that is open.
function drawSteps() {
  const steps = answer && $("steps-part").open ? answer.steps : [];
  $("steps").replaceChildren(...steps.map((s, i) => make("li", {}, make("button", { type: "button", onclick: () => go(i) }, s.text))));
}

function drawStep() {
  const steps = answer ? answer.steps : [];
  const now = steps[step];
  $("at").value = step;
  $("where").textContent = steps.length ? `${step + 1} of ${steps.length}` : "";
  $("step").textContent = now ? now.text : "";
  $("sums").replaceChildren();
  if (now && now.sums) {
    $("sums").append(make("div", { class: "scroll" }, make("table", {},
      make("caption", { class: "hint" }, `The test on ${now.node}`),
      make("thead", {}, make("tr", {}, ...["Resource", "In use", "Asked for", "Sum", "Allocatable", ""].map((t) => make("th", { scope: "col" }, t)))),
      make("tbody", {}, ...now.sums.map((s) => make("tr", {}, make("td", {}, s.resource), make("td", {}, String(s.used)), make("td", {}, String(s.asked)),
        make("td", {}, String(s.used + s.asked)), make("td", {}, String(s.allocatable)), make("td", {}, s.short ? "too much" : "fits")))))));
  }
  [...$("steps").children].forEach((item, i) => item.classList.toggle("now", i === step));
}

function go(to) {
  if (!answer) return;
  stop();
  play = null;
  step = Math.max(0, Math.min(answer.steps.length - 1, to));
  drawCluster();
  drawStep();
}

// ---- editing

function find(podName) {
  return situation.pods.find((p) => p.name === podName) || situation.pending.find((p) => p.name === podName);
}

function freshName(prefix) {
  for (let i = 1; ; i++) if (!find(prefix + i)) return prefix + i;
}

function addPod(node) {
  const name = freshName("new-");
  selected = name;
  change((s) => s.pods.push({ name, node, priority: 0, cpu: 500, labels: { app: "new" }, start: 1 + Math.max(0, ...s.pods.map((p) => p.start || 0)) }));
}

function removePod(podName) {
  selected = null;
  change((s) => {
    s.pods = s.pods.filter((p) => p.name !== podName);
    s.pending = s.pending.filter((p) => p.name !== podName);
  });
}

// movePod puts a pod on a node, or among the pending ones.
function movePod(podName, node) {
  const pod = find(podName);
  if (!pod) return;
  change((s) => {
    s.pods = s.pods.filter((p) => p.name !== podName);
    s.pending = s.pending.filter((p) => p.name !== podName);
    if (node) s.pods.push({ ...pod, node });
    else s.pending.push({ ...pod, node: undefined });
  });
}

const fields = [["priority", "Priority"], ["cpu", "cpu (m)"], ["memory", "memory (Mi)"], ["gpu", "GPUs"], ["start", "Start (s)"], ["grace", "Grace (s)"]];

function drawEditor() {
  const pod = selected && find(selected);
  $("editor").replaceChildren();
  if (!pod) return;
  const number = ([key, title]) => make("label", {}, title, make("input", {
    type: "number", step: "1", value: pod[key] || 0, "data-field": key,
    onchange: (event) => change(() => { pod[key] = Math.trunc(Number(event.target.value)) || 0; }),
  }));
  const text = (title, value, set) => make("label", {}, title, make("input", { type: "text", size: "10", value, onchange: (event) => change(() => set(event.target.value.trim())) }));
  const move = make("select", { id: "move", onchange: (event) => movePod(pod.name, event.target.value) },
    make("option", { value: "" }, "pending"), ...situation.nodes.map((n) => make("option", { value: n.name, selected: n.name === pod.node }, n.name)));
  $("editor").append(make("form", { onsubmit: (event) => event.preventDefault(), "aria-label": `Pod ${pod.name}` },
    make("strong", {}, pod.name), ...fields.map(number),
    text("App", (pod.labels || {}).app || "", (value) => { pod.labels = value ? { ...pod.labels, app: value } : undefined; }),
    make("label", {}, make("input", { type: "checkbox", checked: Boolean(pod.never), onchange: (event) => change(() => { pod.never = event.target.checked; }) }), "policy Never"),
    make("label", {}, "Node", move),
    make("button", { type: "button", id: "remove", onclick: () => removePod(pod.name) }, "Remove"),
    make("button", { type: "button", onclick: () => { selected = null; draw(); } }, "Done")));
}

function drawBudgets() {
  $("budgets").replaceChildren(...(situation.budgets || []).map((b) => {
    const field = (title, value, set) => make("label", {}, title, make("input", { type: "text", value, onchange: (event) => change(() => set(event.target.value.trim())) }));
    return make("div", { class: "budget bar" }, make("strong", {}, b.name),
      field("over app", (b.labels || {}).app || "", (value) => { b.labels = value ? { app: value } : {}; }),
      field("allows", b.allowed, (value) => { b.allowed = Math.trunc(Number(value)) || 0; }),
      field("min available", b.min || "", (value) => { b.min = value || undefined; if (value) b.max = undefined; }),
      field("max unavailable", b.max || "", (value) => { b.max = value || undefined; if (value) b.min = undefined; }),
      make("button", { type: "button", "aria-label": `Remove budget ${b.name}`, onclick: () => change((s) => { s.budgets = s.budgets.filter((x) => x !== b); }) }, "Remove"));
  }));
}

function setCount(n) {
  change((s) => {
    while (s.nodes.length > n) {
      const gone = s.nodes.pop();
      s.pods = s.pods.filter((p) => p.node !== gone.name);
    }
    while (s.nodes.length < n) {
      const like = s.nodes[s.nodes.length - 1] || { cpu: 4000 };
      let i = s.nodes.length + 1;
      while (s.nodes.some((x) => x.name === `node-${i}`)) i++;
      const name = `node-${i}`;
      for (const p of s.pods.filter((x) => x.node === like.name)) s.pods.push({ ...p, name: freshName(p.name.replace(/-?\d+$/, "") + "-"), node: name });
      s.nodes.push({ ...like, name });
    }
  });
}

// ---- other rules

function drawComparison() {
  let rows = [];
  try {
    rows = ask("compare", situation);
  } catch (error) {
    fail(error);
  }
  $("compare").replaceChildren(make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...["Release", "Victims", "Budgets", "Outcome", "Node", "Evicted", "Violations", ""].map((t) => make("th", { scope: "col" }, t)))),
    make("tbody", {}, ...rows.map((r) => make("tr", { class: r.differs ? "differs" : null },
      ...[r.release, r.victims, r.budgets, r.error || r.outcome, r.node || "", (r.evicted || []).join(", "), String(r.violations), r.differs ? "differs" : ""].map((t) => make("td", {}, t))))))));
}

// ---- what happens next

function startPlay() {
  try {
    play = ask("play", situation);
  } catch (error) {
    play = null;
    fail(error);
    return;
  }
  frame = 0;
  $("time").max = Math.max(0, play.frames.length - 1);
  $("ending").textContent = play.ending;
  $("frames").replaceChildren(...play.frames.map((f, i) => make("li", {}, make("button", { type: "button", onclick: () => showFrame(i) }, `${f.at} s: ${f.text}`))));
  showFrame(0);
}

function showFrame(to) {
  if (!play) return;
  frame = Math.max(0, Math.min(play.frames.length - 1, to));
  const f = play.frames[frame];
  $("time").value = frame;
  $("clock").textContent = f ? `${f.at} s` : "";
  $("frame").textContent = f ? f.text : play.ending;
  [...$("frames").children].forEach((item, i) => item.classList.toggle("now", i === frame));
  drawCluster();
}

function stop() {
  clearInterval(timer);
  timer = 0;
  $("play").textContent = "Play";
}

function toggle() {
  if (timer) { stop(); return; }
  if (!play) startPlay();
  if (!play) return;
  if (frame >= play.frames.length - 1) frame = -1;
  $("play").textContent = "Pause";
  timer = setInterval(() => {
    if (frame >= play.frames.length - 1) { stop(); return; }
    showFrame(frame + 1);
  }, 900);
}

// ---- wiring

function wire() {
  presets.forEach((p, i) => $("preset").append(make("option", { value: String(i) }, p.title)));
  $("preset").addEventListener("change", (event) => load(structuredClone(presets[Number(event.target.value)])));
  for (const key of ["release", "victims", "budgetPolicy"]) {
    $(key).addEventListener("change", (event) => change((s) => { s[key] = event.target.value || undefined; }));
  }
  $("settings").addEventListener("submit", (event) => event.preventDefault());
  $("resource").addEventListener("change", drawCluster);
  $("count").addEventListener("input", (event) => setCount(Number(event.target.value)));
  $("first").addEventListener("click", () => go(0));
  $("back").addEventListener("click", () => go(step - 1));
  $("next").addEventListener("click", () => go(step + 1));
  $("last").addEventListener("click", () => go(Infinity));
  $("at").addEventListener("input", (event) => go(Number(event.target.value)));
  $("steps-part").addEventListener("toggle", () => { drawSteps(); drawStep(); });
  $("compare-part").addEventListener("toggle", () => { if ($("compare-part").open) drawComparison(); });
  $("play-part").addEventListener("toggle", () => { if ($("play-part").open) startPlay(); else { stop(); play = null; drawCluster(); } });
  $("play").addEventListener("click", toggle);
  $("time").addEventListener("input", (event) => { stop(); showFrame(Number(event.target.value)); });
  $("add-budget").addEventListener("click", () => change((s) => {
    s.budgets = s.budgets || [];
    let i = 1;
    while (s.budgets.some((b) => b.name === `budget-${i}`)) i++;
    s.budgets.push({ name: `budget-${i}`, labels: { app: "web" }, allowed: 0 });
  }));
  document.querySelectorAll("[data-export]").forEach((button) => button.addEventListener("click", () => {
    try { $("exported").value = ask(button.dataset.export, situation); } catch (error) { fail(error); }
  }));
  $("import").addEventListener("click", () => {
    $("notes").replaceChildren();
    try {
      const got = ask("import", $("imported").value);
      load(got.situation);
      $("notes").replaceChildren(...(got.notes || []).map((n) => make("li", {}, n)));
    } catch (error) { fail(error); }
  });
  addEventListener("hashchange", open);
}

// open shows the situation of the address, or the first preset.
function open() {
  const link = location.hash.slice(1);
  if (link) {
    try { load(ask("open", link)); return; } catch (error) { load(structuredClone(presets[0])); fail(error); return; }
  }
  load(structuredClone(presets[0]));
}

addEventListener("preemption-ready", () => {
  presets = ask("presets");
  wire();
  open();
  document.documentElement.dataset.ready = performance.now().toFixed(0);
});

const go_ = new globalThis.Go();
fetch("preemption.wasm")
  .then((response) => WebAssembly.instantiateStreaming(response, go_.importObject))
  .then((result) => go_.run(result.instance))
  .catch(fail);
