// SPDX-License-Identifier: Apache-2.0
// Draws DATA = {rows: [name], slices: [[row, cycle, cycles, name, pc, waited]]} on the canvas; no dependencies.
const HEIGHT = 46, LEFT = 120, AXIS = 24;
const COLOURS = ["#888888", "#3b7dd8", "#d9822b", "#2ca05a", "#c0392b"];
const canvas = document.getElementById("plot"), tip = document.getElementById("tip"), pen = canvas.getContext("2d");
const end = Math.max(1, ...DATA.slices.map(s => s[1] + s[2]));
let from = 0, to = end, dragged = null;

const x = cycle => LEFT + (cycle - from) / (to - from) * (canvas.clientWidth - LEFT);
const cycleAt = pixel => from + (pixel - LEFT) / (canvas.clientWidth - LEFT) * (to - from);

function drawSlice([row, cycle, cycles, name]) {
  const a = Math.max(LEFT, x(cycle)), b = x(cycle + cycles);
  if (b < LEFT || a > canvas.clientWidth) return;
  pen.fillStyle = COLOURS[row % COLOURS.length];
  pen.fillRect(a, row * HEIGHT + 6, Math.max(0.5, b - a - (b - a > 3 ? 1 : 0)), HEIGHT - 12);
  if (b - a < 30) return;
  pen.save();
  pen.beginPath();
  pen.rect(a, row * HEIGHT, b - a - 3, HEIGHT);
  pen.clip();
  pen.fillStyle = "#fff";
  pen.fillText(name, a + 4, row * HEIGHT + HEIGHT / 2 + 4);
  pen.restore();
}

function drawAxis(ink) {
  const step = 10 ** Math.ceil(Math.log10((to - from) / 10)), y = DATA.rows.length * HEIGHT;
  pen.fillStyle = ink;
  for (let cycle = Math.ceil(from / step) * step; cycle <= to; cycle += step) {
    pen.fillRect(x(cycle), y, 1, 6);
    pen.fillText(String(Math.round(cycle * 10) / 10), x(cycle) + 3, y + 18);
  }
  pen.fillText("cycles", 4, y + 18);
  DATA.rows.forEach((name, row) => pen.fillText(name, 4, row * HEIGHT + HEIGHT / 2 + 4));
}

function draw() {
  const scale = window.devicePixelRatio || 1, height = DATA.rows.length * HEIGHT + AXIS;
  canvas.style.height = height + "px";
  canvas.width = canvas.clientWidth * scale;
  canvas.height = height * scale;
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  DATA.slices.forEach(drawSlice);
  drawAxis(getComputedStyle(document.body).color);
}

function explain(event) {
  const cycle = cycleAt(event.offsetX), row = Math.floor(event.offsetY / HEIGHT);
  const hit = DATA.slices.find(s => s[0] === row && s[1] <= cycle && cycle < s[1] + s[2]);
  const label = hit && hit[4] !== null ? hit[4] + ": " : "";
  tip.textContent = hit ? `${label}${hit[3]}   cycles ${hit[1]} .. ${hit[1] + hit[2] - 1}` +
    (hit[5] ? `   waited: ${hit[5]}` : "") : `cycle ${Math.floor(cycle)}`;
}

canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const middle = cycleAt(event.offsetX), factor = event.deltaY < 0 ? 0.8 : 1.25;
  from = Math.max(0, middle - (middle - from) * factor);
  to = Math.min(end, middle + (to - middle) * factor);
  draw();
}, {passive: false});
canvas.addEventListener("mousedown", event => { dragged = event.offsetX; });
window.addEventListener("mouseup", () => { dragged = null; });
canvas.addEventListener("mousemove", event => {
  if (dragged !== null) {
    let shift = cycleAt(dragged) - cycleAt(event.offsetX);
    shift = Math.max(-from, Math.min(end - to, shift));
    from += shift;
    to += shift;
    dragged = event.offsetX;
    draw();
  }
  explain(event);
});
canvas.addEventListener("dblclick", () => { from = 0; to = end; draw(); });
window.addEventListener("resize", draw);
draw();
