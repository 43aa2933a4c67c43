// Keeps the live page up to date: places texts, fills tables, draws curves. It formats nothing, and
// everything that comes from the stream is placed as text, never as HTML.
(() => {
  "use strict";
  const all = (what) => [...document.querySelectorAll(what)];
  const one = (what) => document.querySelector(what);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const percent = (value) => (value == null ? "–" : `${+(100 * value).toPrecision(3)} %`);
  const plain = (value) => (value == null ? "–" : value.toLocaleString("en"));
  const charts = {
    error: {
      curves: [["lately", "--curve", 2], ["over all", "--quiet", 1.5], ["error bound", "--bound", 1.5, [6, 4]],
        ["baseline", "--right", 1.5, [2, 4]]],
      x: plain, y: percent, marks: true,
    },
    loss: { curves: [["lately", "--curve", 2], ["over all", "--quiet", 1.5]], x: plain, y: plain, marks: true },
    calibration: { curves: [["came true", "--curve", 2], ["perfect", "--quiet", 1.5, [2, 4]]], x: percent, y: percent,
      points: true },
    rates: { curves: [["learned", "--curve", 2], ["predicted", "--bound", 2]], x: (v) => `${plain(v)} s`, y: plain },
  };
  let marks = [];
  let latest = null;

  function series([label, ink, width, dash], chart) {
    return { label, stroke: colour(ink), width, dash, points: { show: Boolean(chart.points) && !dash, size: 7 },
      value: (_, v) => chart.y(v) };
  }

  function drawMarks(plot) {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = colour("--wrong");
    ctx.lineWidth = 2 * devicePixelRatio;
    for (const round of marks) {
      const x = Math.round(plot.valToPos(round, "x", true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  function plotted(figure, chart, data) {
    const ink = colour("--quiet"), rule = { stroke: colour("--rule"), width: 1 };
    const axis = (show) => ({ stroke: ink, grid: rule, ticks: rule, font: "12px system-ui, sans-serif",
      values: (_, values) => values.map(show) });
    const whole = chart.points ? { range: [0, 1] } : {};
    return new uPlot({
      width: figure.clientWidth, height: 230, cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false, ...whole },
        y: chart.points ? whole : { range: (_, low, high) => [0, high > 0 ? 1.08 * high : 1] } },
      axes: [axis(chart.x), { ...axis(chart.y), size: 58 }],
      series: [{ label: chart.x === plain ? "round" : "at", value: (_, v) => chart.x(v) },
        ...chart.curves.map((curve) => series(curve, chart))],
      hooks: chart.marks ? { draw: [drawMarks] } : {},
    }, data, figure);
  }

  function drawChart(name, data) {
    const figure = one(`figure[data-chart="${name}"]`), chart = charts[name];
    const enough = data.length > 0 && data[0].length > 1;
    if (figure.hidden === enough) figure.hidden = !enough;
    if (!enough) return;
    if (chart.plot) chart.plot.setData(data);
    else chart.plot = plotted(figure, chart, data);
  }

  function cell(kind, text) {
    const made = document.createElement(kind), words = document.createElement("bdi");
    words.textContent = text;
    made.append(words);
    if (kind === "th") made.scope = "row";
    return made;
  }

  function fill(name, rows) {
    const section = one(`section[data-table="${name}"]`), body = section.querySelector("tbody");
    section.hidden = rows.length === 0;
    const same = JSON.stringify(rows);
    if (section.shown === same) return;
    section.shown = same;
    body.replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      line.append(...row.map((text, place) => cell(place ? "td" : "th", text)));
      return line;
    }));
  }

  function show(figures) {
    latest = figures;
    marks = figures.marks;
    for (const place of all("[data-figure]")) place.textContent = figures.texts[place.dataset.figure] ?? "";
    one("[data-title]").textContent = figures.title;
    const alarm = one("#alarm");
    alarm.textContent = figures.alarm;
    alarm.hidden = !figures.alarm;
    for (const [name, rows] of Object.entries(figures.tables)) fill(name, rows);
    for (const [name, data] of Object.entries(figures.charts)) drawChart(name, data);
  }

  function redraw() {
    for (const chart of Object.values(charts)) {
      chart.plot?.destroy();
      chart.plot = null;
    }
    if (latest) show(latest);
  }

  function state(text, live) {
    one("#state").textContent = text;
    document.body.classList.toggle("live", live);
  }

  // The browser itself comes back after a broken connection, but not after a refusal: too many listeners, or signed out.
  async function refused() {
    state("Not live", false);
    await new Promise((done) => setTimeout(done, 5000));
    try {
      const found = await fetch("v1/live", { cache: "no-store" });
      if (found.status === 401) return location.reload();
      if (found.ok) show(await found.json());
    } catch { /* the service is not there */ }
    listen();
  }

  function listen() {
    const events = new EventSource("v1/events");
    events.addEventListener("figures", (event) => {
      state("Live", true);
      show(JSON.parse(event.data));
    });
    events.onerror = () => {
      state("Not live: connecting again", false);
      if (events.readyState === EventSource.CLOSED) refused();
    };
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new ResizeObserver(() => {
    for (const { plot } of Object.values(charts)) {
      if (plot) plot.setSize({ width: plot.root.parentElement.clientWidth, height: 230 });
    }
  }).observe(one(".charts"));
  listen();
})();
