// SPDX-License-Identifier: Apache-2.0
// Zooms every svg.plot. The wheel zooms at the pointer, dragging moves the plot, and a double click shows all of it.
// Letters and points keep their size.
for (const svg of document.querySelectorAll("svg.plot")) {
  const box = svg.viewBox.baseVal, full = {x: box.x, y: box.y, width: box.width, height: box.height};
  let held = null;
  const at = event => {
    const frame = svg.getBoundingClientRect();
    return {x: box.x + (event.clientX - frame.left) / frame.width * box.width,
            y: box.y + (event.clientY - frame.top) / frame.height * box.height};
  };
  const show = (x, y, width) => {
    const factor = Math.min(1, width / full.width);
    box.width = full.width * factor;
    box.height = full.height * factor;
    box.x = Math.max(full.x, Math.min(full.x + full.width - box.width, x));
    box.y = Math.max(full.y, Math.min(full.y + full.height - box.height, y));
    svg.style.setProperty("--k", factor);
  };
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const factor = event.deltaY < 0 ? 0.8 : 1.25, here = at(event);
    show(here.x - (here.x - box.x) * factor, here.y - (here.y - box.y) * factor, box.width * factor);
  }, {passive: false});
  svg.addEventListener("pointerdown", event => { held = at(event); svg.setPointerCapture(event.pointerId); });
  svg.addEventListener("pointerup", () => { held = null; });
  svg.addEventListener("pointermove", event => {
    if (held === null) return;
    const here = at(event);
    show(box.x + held.x - here.x, box.y + held.y - here.y, box.width);
  });
  svg.addEventListener("dblclick", () => show(full.x, full.y, full.width));
}
