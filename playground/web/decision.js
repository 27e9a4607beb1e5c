// The decision: its steps, the candidates, what other rules say, and what happens
// next.
"use strict";

function drawAnswer() {
  $("walk").hidden = !answer;
  const others = answer && answer.waiting ? ` (${answer.waiting === 1 ? "Another pod is" : answer.waiting + " other pods are"} pending: the one of the highest priority is decided.)` : "";
  $("headline").textContent = answer ? answer.headline + others : "";
  $("event").textContent = answer ? answer.event || "(nothing: it fits)" : "";
  $("at").max = Math.max(0, steps() - 1);
  drawExplanation();
  drawStep();
  drawCandidates();
}

function steps() {
  return answer ? answer.stretches.reduce((sum, s) => sum + s.steps, 0) : 0;
}

function drawExplanation() {
  $("explain").textContent = answer && $("explain-part").open ? attempt(() => ask("explain")) : "";
}

const columns = [["node", "Node"], ["violations", "Violations"], ["top", "Top priority"], ["sum", "Priority sum"], ["pods", "Pods"], ["start", "Start"], ["victims", "Victims"]];
const criteria = { "fewest budget violations": "violations", "lowest top victim priority": "top", "smallest priority sum": "sum", "fewest pods": "pods", "latest start": "start" };

function drawCandidates() {
  const rows = (answer && answer.candidates) || [];
  const deciding = criteria[answer && answer.decidedBy];
  const drawn = JSON.stringify([rows, deciding]);
  if ($("candidates").drawn === drawn) return;
  $("candidates").drawn = drawn;
  $("candidates").replaceChildren();
  if (!rows.length) return;
  const cell = (row, key) => {
    const mark = key === deciding && row.chosen ? "deciding" : null;
    if (key !== "node") return { class: mark, text: Array.isArray(row[key]) ? row[key].join(", ") : row[key] };
    return { child: make("button", { type: "button", class: "plain", title: `To the steps on ${row.node}`, onclick: () => goTo(row.node) }, row.node + (row.chosen ? " ★" : "")) };
  };
  $("candidates").append(make("h3", {}, "Nodes that can be cleared"), table(
    columns.map(([key, title]) => ({ text: title + (key === deciding ? " (decides)" : ""), class: key === deciding ? "deciding" : null })),
    rows.map((row) => ({ class: row.chosen ? "chosen" : null, cells: columns.map(([key]) => cell(row, key)) })), "Nodes that can be cleared"));
}

// ---- walking

// drawStep tells the step at hand.
function drawStep() {
  now = answer ? attempt(() => ask("step", String(step))) : null;
  $("at").value = step;
  $("at").setAttribute("aria-valuetext", now ? now.text : "");
  $("where").textContent = answer ? `${step + 1} of ${steps()}` : "";
  $("step").textContent = now ? now.text : "";
  $("sums").replaceChildren();
  if (now && now.sums) {
    $("sums").append(make("p", { class: "hint" }, `The test on ${now.node}`), table(["Resource", "In use", "Asked for", "Sum", "Allocatable", ""],
      now.sums.map((s) => ({ cells: [s.resource, s.used, s.asked, s.used + s.asked, s.allocatable, s.short ? "too much" : "fits"] })), `The test on ${now.node}`));
  }
  drawSteps();
}

// drawSteps lists the nodes, and the steps on the one at hand, if the list is open.
function drawSteps() {
  if (!$("steps-part").open || !answer) {
    $("steps").replaceChildren();
    return;
  }
  let first = 0;
  $("steps").replaceChildren(...answer.stretches.map((s) => {
    const from = first;
    first += s.steps;
    const here = step >= from && step < first;
    const row = make("li", { class: here ? "here" : null }, make("button", { type: "button", class: "plain", onclick: () => go(from) }, s.node ? `${s.node}: ${s.text}` : s.text));
    if (here && s.node) {
      row.append(make("ol", {}, ...Array.from({ length: s.steps }, (_, i) =>
        make("li", { class: from + i === step ? "now" : null }, make("button", { type: "button", class: "plain", onclick: () => go(from + i) }, ask("step", String(from + i)).text)))));
    }
    return row;
  }));
}

function go(to) {
  if (!answer) return;
  stop();
  play = null;
  step = Math.max(0, Math.min(steps() - 1, to));
  const inList = $("steps").contains(document.activeElement);
  drawStep();
  drawCluster();
  const at = inList && ($("steps").querySelector(".now button") || $("steps").querySelector(".here button"));
  if (at) at.focus(); // the list was drawn anew
}

// goTo goes to the first step on a node.
function goTo(node) {
  let first = 0;
  for (const s of answer.stretches) {
    if (s.node === node) break;
    first += s.steps;
  }
  go(first);
  $("step").scrollIntoView({ block: "nearest" });
}

// ---- other rules

function drawComparison() {
  const rows = attempt(() => ask("compare", situation)) || [];
  const values = (r) => [r.release, r.victims, r.budgets, r.error || r.outcome, r.node || "", (r.evicted || []).join(", "), r.violations];
  const own = rows.length ? values(rows[0]) : [];
  $("compare").replaceChildren(table(["Release", "Victims", "Budgets", "Outcome", "Node", "Evicted", "Violations", ""], rows.map((r) => {
    const cells = values(r).map((text, i) => ({ text, class: i > 2 && text !== own[i] ? "differs" : null }));
    const differs = cells.some((c) => c.class);
    return { class: r.own ? "chosen" : null, cells: [...cells, r.own ? "these rules" : differs ? "differs" : "the same"] };
  }), "Other releases and policies"));
}

// ---- what happens next

function startPlay() {
  play = attempt(() => ask("play", situation));
  if (!play) return;
  play.frames = play.frames || [];
  frame = 0;
  $("time").max = Math.max(0, play.frames.length - 1);
  $("ending").textContent = play.ending;
  $("frames").replaceChildren(...play.frames.map((f, i) => make("li", {}, make("button", { type: "button", class: "plain", onclick: () => { stop(); showFrame(i); } }, `${f.at} s: ${f.text}`))));
  showFrame(0);
}

function showFrame(to) {
  if (!play) return;
  frame = Math.max(0, Math.min(play.frames.length - 1, to));
  const f = play.frames[frame];
  $("time").value = frame;
  $("time").setAttribute("aria-valuetext", f ? `${f.at} s: ${f.text}` : "");
  $("clock").textContent = f ? `${f.at} s` : "";
  $("frame").textContent = f ? f.text : play.ending;
  [...$("frames").children].forEach((item, i) => item.classList.toggle("now", i === frame));
  const item = $("frames").children[frame];
  if (item) $("frames").scrollTop = item.offsetTop - $("frames").offsetTop - $("frames").clientHeight / 2;
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
  if (frame >= play.frames.length - 1) showFrame(0);
  $("play").textContent = "Pause";
  timer = setInterval(() => {
    if (frame >= play.frames.length - 1) { stop(); return; }
    showFrame(frame + 1);
  }, 900);
}
