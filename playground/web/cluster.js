// The picture of the cluster: nodes as bars of their pods.
"use strict";

const units = { cpu: "m", memory: "Mi", gpu: "" };

// scale is a scale from dark violet over green to yellow, which keeps its order for
// every kind of colour vision; the number is written on the pod too.
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
  const gone = new Set(now ? now.gone : []);
  const tried = new Set(now && now.kind !== "choose" ? now.pods : []);
  const pods = situation.pods.map((p) => {
    const state = [];
    if (gone.has(p.name)) state.push(now.kind === "choose" ? "goes" : "gone");
    if (tried.has(p.name)) state.push("tried");
    if (p.terminating) state.push("terminating");
    return { pod: p, node: p.node, state };
  });
  return { pods, pending: situation.pending.map((p) => ({ pod: p, state: [] })), node: now && now.node };
}

function playScene() {
  const known = new Map();
  for (const p of [...situation.pods, ...situation.pending]) known.set(p.name, p);
  const drawn = new Map();
  for (const p of situation.pods) drawn.set(p.name, { pod: p, node: p.node, state: p.terminating ? ["terminating"] : [] });
  let node = "";
  for (const f of play.frames.slice(0, frame + 1)) {
    node = f.node || "";
    const like = known.get(f.like) || known.get(f.pod) || { priority: 0 };
    known.set(f.pod, like);
    if (f.state === "gone") drawn.delete(f.pod);
    else drawn.set(f.pod, { pod: { ...like, name: f.pod }, node: f.node || "", state: f.state === "terminating" ? ["terminating"] : [] });
  }
  const all = [...drawn.values()];
  return { pods: all.filter((d) => d.node), pending: all.filter((d) => !d.node), node };
}

function drawCluster() {
  const resource = $("resource").value;
  const drawing = {
    scene: scene(), resource, palette: colours(), small: situation.nodes.length > 12,
    most: Math.max(1, ...situation.nodes.map((n) => n[resource] || 0)),
    byNode: new Map(situation.nodes.map((n) => [n.name, []])),
  };
  for (const d of drawing.scene.pods) {
    if (drawing.byNode.has(d.node)) drawing.byNode.get(d.node).push(d);
  }
  const biggest = { name: "", title: "pending", [resource]: drawing.most };
  keyed($("cluster"), [...situation.nodes, biggest], buildNode, (element, n) => drawNode(element, n, drawing));
}

function buildNode(n) {
  const room = make("div", { class: "room" });
  const actions = [make("button", { type: "button", "data-add": "" }, "+ pod")];
  if (n.name) actions.push(make("button", { type: "button", "data-cordon": "" }));
  const title = make("h4", {}, n.name ? make("button", { type: "button", "data-choose-node": "", title: "Change the node" }) : n.title);
  return make("div", { "data-node": n.name }, title, make("div", { class: "stack" }, room), make("div", { class: "actions" }, ...actions));
}

function drawNode(element, n, drawing) {
  const { resource, scene } = drawing;
  const [title, stack, actions] = element.children;
  const pods = n.name ? drawing.byNode.get(n.name) : scene.pending;
  const classes = ["node"];
  if (drawing.small) classes.push("small");
  if (!n.name) classes.push("pending");
  else if (scene.node === n.name) classes.push("current");
  if (n.cordoned) classes.push("cordoned");
  set(element, { class: classes.join(" ") });
  const rem = (drawing.small ? 8 : 15) * Math.max(0.25, (n[resource] || 0) / drawing.most);
  set(stack, { style: `height:${rem.toFixed(2)}rem` });
  if (n.name) {
    const used = pods.filter((d) => !d.state.includes("gone")).reduce((sum, d) => sum + (d.pod[resource] || 0), 0);
    set(stack.lastElementChild, { text: `${(n[resource] || 0) - used}${units[resource]} free` });
    set(title.firstElementChild, { text: n.name + (n.cordoned ? " (cordoned)" : ""), "aria-pressed": String(n.name === selectedNode) });
    set(actions.lastElementChild, { text: n.cordoned ? "uncordon" : "cordon", "aria-label": `${n.cordoned ? "Uncordon" : "Cordon"} ${n.name}` });
  }
  set(actions.firstElementChild, { "aria-label": n.name ? `Add a pod to ${n.name}` : "Add a pending pod" });

  // One pod of a stack is a stop of the Tab key; the arrow keys go to the others.
  const names = pods.map((d) => d.pod.name);
  if (names.includes(selected)) stack.entry = selected;
  else if (!names.includes(stack.entry)) stack.entry = names[0];
  keyed(stack, pods.map((d) => ({ name: d.pod.name, ...d })), buildPod,
    (bar, d) => drawPod(bar, d, n, rem * 16, stack.entry, drawing), stack.lastElementChild);
}

function buildPod(d) {
  return make("button", { type: "button", draggable: "true", "data-pod": d.name });
}

const stateWords = { gone: "away", goes: "has to go", tried: "looked at", terminating: "terminating" };

function drawPod(bar, { pod, state }, n, pixels, entry, { resource, palette }) {
  const share = Math.min(1, (pod[resource] || 0) / Math.max(1, n[resource] || 1));
  const colour = palette.get(pod.priority) || 0;
  const budgets = (situation.budgets || []).filter((b) => covers(b, pod));
  let words = `${pod.name}, priority ${pod.priority}, ${pod[resource] || 0}${units[resource]} ${resource}`;
  for (const b of budgets) words += `, under budget ${b.name}`;
  for (const s of state) words += `, ${stateWords[s]}`;
  set(bar, {
    title: words, "aria-label": words, "aria-pressed": String(pod.name === selected), tabindex: pod.name === entry ? "0" : "-1",
    class: `pod ${state.join(" ")}${budgets.length ? " budget" : ""}${colour > 4 ? " light" : ""}`,
    style: `height:${(share * 100).toFixed(2)}%;background-color:${scale[colour]}`,
    text: share * pixels < 11 ? "" : `${pod.name} · ${pod.priority}`, // no room for a line of text
  });
}

function covers(budget, pod) {
  return Object.entries(budget.labels || {}).every(([key, value]) => (pod.labels || {})[key] === value);
}

// ---- pointing at it

function wireCluster() {
  const cluster = $("cluster");
  const nodeOf = (event) => { const node = event.target.closest("[data-node]"); return node && node.dataset.node; };
  cluster.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const node = nodeOf(event);
    if ("pod" in button.dataset) choosePod(button.dataset.pod);
    else if ("add" in button.dataset) addPod(node);
    else if ("cordon" in button.dataset) change((s) => { const n = s.nodes.find((x) => x.name === node); n.cordoned = !n.cordoned; });
    else if ("chooseNode" in button.dataset) chooseNode(node);
  });
  cluster.addEventListener("dragstart", (event) => {
    if (event.target.dataset && event.target.dataset.pod) event.dataTransfer.setData("text/plain", event.target.dataset.pod);
  });
  cluster.addEventListener("dragover", (event) => { if (nodeOf(event) != null) event.preventDefault(); });
  cluster.addEventListener("drop", (event) => {
    const node = nodeOf(event);
    if (node == null) return;
    event.preventDefault();
    movePod(event.dataTransfer.getData("text/plain"), node);
  });
  cluster.addEventListener("keydown", walkPods);
}

// walkPods moves the focus between pods by the arrow keys, and removes a pod by the
// Delete key.
function walkPods(event) {
  const bar = event.target.closest("[data-pod]");
  if (!bar) return;
  const stack = bar.parentElement;
  const bars = [...stack.querySelectorAll("[data-pod]")];
  const at = bars.indexOf(bar);
  const to = { ArrowUp: at + 1, ArrowDown: at - 1, Home: 0, End: bars.length - 1 }[event.key];
  if (event.key === "Delete") {
    const name = bar.dataset.pod;
    const after = bars[at + 1] || bars[at - 1] || stack.nextElementSibling.firstElementChild;
    removePod(name);
    after.focus();
  } else if (to !== undefined) {
    focusPod(bars[to]);
  } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const nodes = [...$("cluster").children];
    const step = event.key === "ArrowLeft" ? -1 : 1;
    let i = nodes.indexOf(stack.parentElement) + step;
    while (nodes[i] && !nodes[i].querySelector("[data-pod]")) i += step;
    const there = nodes[i] && nodes[i].querySelectorAll("[data-pod]");
    if (there) focusPod(there[Math.min(at, there.length - 1)]);
  } else {
    return;
  }
  event.preventDefault();
}

function focusPod(bar) {
  if (!bar) return;
  const stack = bar.parentElement;
  for (const other of stack.querySelectorAll('[data-pod][tabindex="0"]')) set(other, { tabindex: "-1" });
  stack.entry = bar.dataset.pod;
  set(bar, { tabindex: "0" });
  bar.focus();
}
