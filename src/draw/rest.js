// Beside the time line: the heat map says its numbers and leads to its steps; on paper, what is folded is open.
(() => {
  document.querySelectorAll('.heat > svg > svg').forEach((cells) => {
    const rows = Array.from(cells.querySelectorAll('[data-location]')).map((e) => (
      { label: e.dataset.location, waits: e.dataset.wait.split(' ').map(Number) }));
    const n = Number(cells.dataset.columns), perCell = Number(cells.dataset.per), areSteps = cells.dataset.steps === '1';
    const out = document.createElement('output');
    out.className = 'tip';
    out.textContent = areSteps ? 'A click on a step shows it in the time line.' : 'Point at a stretch to see how long it is waited in.';
    cells.closest('.heat').after(out);
    const short = (s) => (s >= 0.1 || s === 0 ? `${Number(s.toPrecision(3))} s`
      : s >= 1e-3 ? `${Number((s * 1e3).toPrecision(3))} ms` : `${Number((s * 1e6).toPrecision(3))} us`);
    const columnAt = (e) => {
      const box = cells.getBoundingClientRect();
      const across = rows[0].waits.length;
      return Math.min(Math.max(Math.floor((e.clientX - box.left) / box.width * across), 0), across - 1);
    };
    cells.addEventListener('pointermove', (e) => {
      const box = cells.getBoundingClientRect(), column = columnAt(e);
      const row = rows[Math.min(Math.max(Math.floor((e.clientY - box.top) / box.height * rows.length), 0), rows.length - 1)];
      const first = column * perCell + 1, last = Math.min(first + perCell - 1, n);
      const what = areSteps ? 'step' : 'stretch';
      out.textContent = `${row.label}, ${what} ${first}${last > first ? `–${last}` : ''} of ${n}: waits ` +
        `${short(row.waits[column])}${perCell > 1 ? ' on average' : ''}`;
    });
    if (areSteps) {
      cells.classList.add('leads');
      cells.addEventListener('click', (e) => { location.hash = `#step=${columnAt(e) * perCell + 1}`; });
    }
  });
  let opened = [];
  window.addEventListener('beforeprint', () => {
    opened = Array.from(document.querySelectorAll('details.why:not([open]), details#quality:not([open])'));
    opened.forEach((one) => { one.open = true; });
  });
  window.addEventListener('afterprint', () => opened.forEach((one) => { one.open = false; }));
})();
