// Zooms each time line of the page, from all of its run to a call. Without this script the picture stays as it is.
// Times are ticks since the first event of the run; see data.c for what is in the elements.
document.querySelectorAll('.data').forEach((box) => {
  const key = box.dataset.key, plot = document.getElementById(`run${key}`);
  const GUTTER = 52, TOP = 15, ROW = 18, BAR = 12, AXIS = 22, MOST_ROWS = 48, WIDE_PAGE = 540;
  const LOOKS = ['none', 'compute', 'p2p', 'collective', 'other', 'edge', 'wait'];
  const SAYS = ['not recorded', 'computes', 'sends, receives', 'in a collective', 'in another call',
    'starts up or shuts down', 'waits'];
  const COMPUTE = 1, EDGE = 5, WAIT = 6;
  const all = (what) => Array.from(box.querySelectorAll(what));
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const perSecond = Number(box.dataset.ticks);
  const begin = Number(box.dataset.begin), end = Math.max(Number(box.dataset.end), begin + 1);
  const names = new Map(all('[data-region]').map((e) => [Number(e.dataset.region), e.textContent]));
  const comms = new Map(all('[data-comm]').map((e) => [Number(e.dataset.comm), e.textContent]));
  const rows = all('[data-calls]').map((e) => ({ label: e.dataset.label, text: e.dataset.calls,
    role: e.dataset.role, is: e.dataset.is, order: e.dataset.before, comes: e.dataset.comes, silentFrom: Number(e.dataset.silentFrom || Infinity),
    silentTo: Number(e.dataset.silentTo || 0), bound: e.dataset.bound === '-1' ? Infinity : Number(e.dataset.bound) }));
  const frames = all('[data-frame]').map((e) => (
    { id: e.dataset.frame, from: Number(e.dataset.from), to: Number(e.dataset.to) }));
  const levels = all('[data-look]').map((e) => ({
    width: Number(e.dataset.width), n: Number(e.dataset.n),
    look: bytesOf(e.dataset.look), waited: bytesOf(e.dataset.waited) }));
  const shown = Math.min(rows.length, MOST_ROWS);
  // Where all do the same, its name says nothing.
  const hasRoles = new Set(rows.map((row) => row.is).filter((is) => is)).size > 1;
  const view = { from: begin, to: end, first: 0, row: 0, at: begin, step: null, hasPath: false, hasArrows: true, cut: null };

  // ---- calls ----------------------------------------------------------------------------------------

  const reader = (bytes, at) => () => {
    let number = 0, factor = 1, byte;
    do {
      byte = bytes[at.i++];
      number += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return number;
  };

  // What is behind the times of a call, in the order of data.c.
  const readCall = (next) => {
    const c = { gap: next(), before: next(), length: next(), region: next() };
    const look = next();
    c.look = look & 7;
    c.known = look < 8;
    c.record = next();
    c.more = next();
    c.wait = next();
    c.culprit = c.wait > 0 ? next() : 0;
    c.way = next();
    if (c.way === 3) {
      c.root = next(); c.bytes = next(); c.comm = next();
    } else if (c.way > 0) {
      c.peer = next(); c.tag = next(); c.bytes = next(); c.messages = next(); c.comm = next();
    }
    return c;
  };

  // Time in calls by class before each call, so that a pixel is judged by two of these sums, however many calls
  // it is.
  const addUp = (s) => {
    s.sums = LOOKS.map((_, look) => (look > COMPUTE ? new Float64Array(s.n + 1) : null));
    for (let i = 0; i < s.n; i++) {
      for (let look = COMPUTE + 1; look < LOOKS.length; look++) { s.sums[look][i + 1] = s.sums[look][i]; }
      s.sums[WAIT][i + 1] += s.wait[i];
      s.sums[s.look[i]][i + 1] += s.leave[i] - s.enter[i] - s.wait[i];
    }
  };

  // Time by class from the beginning of a stretch to a moment in it, before the end of call i.
  const timesUntil = (s, ticks, i, into) => {
    let calls = 0;
    for (let look = COMPUTE + 1; look < LOOKS.length; look++) { into[look] = s.sums[look][i]; }
    if (i < s.n && ticks > s.enter[i]) {
      const waited = Math.min(ticks - s.enter[i], s.wait[i]);
      into[WAIT] += waited;
      into[s.look[i]] += ticks - s.enter[i] - waited;
    } else if (i === s.n && s.n > 0 && s.rest === EDGE) {
      into[EDGE] += ticks - s.leave[s.n - 1];
    }
    for (let look = COMPUTE + 1; look < LOOKS.length; look++) { calls += into[look]; }
    into[COMPUTE] = ticks - s.from - calls;
  };

  // Times of all calls of a location, and where the rest of each stands in its bytes.
  const stretchesOf = (row) => {
    if (row.stretches) {
      return row.stretches;
    }
    const bytes = bytesOf(row.text), at = { i: 0 }, next = reader(bytes, at);
    row.bytes = bytes;
    row.stretches = [];
    while (at.i < bytes.length) {
      const s = { from: next(), n: next() };
      s.enter = new Float64Array(s.n); s.leave = new Float64Array(s.n);
      s.wait = new Float64Array(s.n); s.look = new Uint8Array(s.n); s.place = new Uint32Array(s.n);
      s.record = new Float64Array(s.n); s.last = new Float64Array(s.n);
      let last = s.from;
      for (let i = 0; i < s.n; i++) {
        s.place[i] = at.i;
        const c = readCall(next);
        s.enter[i] = last + c.gap;
        s.leave[i] = last = s.enter[i] + c.length;
        s.wait[i] = c.wait;
        s.look[i] = c.look;
        s.record[i] = c.record; s.last[i] = c.record + c.more;
      }
      s.to = last + next();
      s.behind = next();
      s.rest = next();
      addUp(s);
      row.stretches.push(s);
    }
    return row.stretches;
  };

  // The first call that ends behind a moment, not before call low.
  const callAt = (s, ticks, low = 0) => {
    let high = s.n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (s.leave[middle] <= ticks) { low = middle + 1; } else { high = middle; }
    }
    return low;
  };

  // ---- words ----------------------------------------------------------------------------------------

  const exact = (ticks) => `${Number((ticks / perSecond).toPrecision(15))} s`;
  const short = (ticks) => {
    const s = ticks / perSecond;
    return s >= 0.1 || s === 0 ? `${Number(s.toPrecision(3))} s`
      : s >= 1e-3 ? `${Number((s * 1e3).toPrecision(3))} ms`
        : s >= 1e-6 ? `${Number((s * 1e6).toPrecision(3))} us` : `${Number((s * 1e9).toPrecision(3))} ns`;
  };
  const name = (region, look) => names.get(region) || SAYS[look];

  const who = (row) => (row.role ? `${row.label} (${row.role})` : row.label);
  // Moments that are closer than the clocks are wrong have no order.
  const isOrdered = (row, c) => c.culprit > 0 && c.wait > row.bound + rows[c.culprit - 1].bound;

  const sayCall = (row, s, i) => {
    const c = readCall(reader(row.bytes, { i: s.place[i] }));
    let text = `${who(row)}: ${name(c.region, c.look)}`;
    if (c.way === 3) {
      text += `${c.root > 0 ? `, root ${c.root - 1}` : ''}, ${c.bytes} B`;
    } else if (c.way > 0) {
      text += `, ${c.way === 2 ? 'to' : 'from'} ${c.peer}, tag ${c.tag}, ${c.bytes} B`;
      text += c.messages > 1 ? ` and ${c.messages - 1} more` : '';
    }
    text += c.comm > 0 ? `, on ${comms.get(c.comm)}` : '';
    text += `; ${short(c.length)}, from ${exact(s.enter[i])} to ${exact(s.leave[i])}`;
    text += c.wait > 0 ? `; waits ${short(c.wait)}${c.culprit ? ` for ${rows[c.culprit - 1].label}` : ''}` : '';
    text += c.culprit > 0 && !isOrdered(row, c) ? ', as far as the clocks can tell' : '';
    text += c.known ? '' : '; how long it waits is not known';
    return text + (c.record ? `; record ${row.label}#${c.record}` : '');
  };

  const sayGap = (row, s, i) => {
    const from = i > 0 ? s.leave[i - 1] : s.from, to = i < s.n ? s.enter[i] : s.to;
    const region = i < s.n ? readCall(reader(row.bytes, { i: s.place[i] })).before : s.behind;
    return `${who(row)}: ${name(region, i === s.n ? s.rest : COMPUTE)}; ${short(to - from)}, from ${exact(from)} to ${exact(to)}`;
  };

  const sayBin = (index, ticks) => {
    const level = levelFor(), bin = Math.floor((ticks - begin) / level.width);
    const at = index * level.n + bin;
    if (bin < 0 || bin >= level.n) {
      return '';
    }
    return `${who(rows[index])}: mostly ${SAYS[level.look[at]]}, waits ` +
      `${Math.round(level.waited[at] / 2.55)} % of ${short(level.width)} from ` +
      `${exact(begin + bin * level.width)}; single calls are not in the page here`;
  };

  const say = (index, ticks) => {
    const row = rows[index];
    for (const s of stretchesOf(row)) {
      if (ticks >= s.from && ticks < s.to) {
        const i = callAt(s, ticks);
        return i < s.n && s.enter[i] <= ticks ? sayCall(row, s, i) : sayGap(row, s, i);
      }
    }
    return sayBin(index, ticks);
  };

  // ---- drawing --------------------------------------------------------------------------------------

  const canvas = document.createElement('canvas');
  const tip = document.createElement('output');
  const pen = canvas.getContext('2d');
  let fills = [], ink = '', soft = '', link = '', paper = '', pending = false, width = 0, gutter = GUTTER;

  const pixels = () => Math.max(width - gutter, 1);
  const xOf = (ticks) => gutter + (ticks - view.from) / (view.to - view.from) * pixels();
  const ticksAt = (x) => view.from + (x - gutter) / pixels() * (view.to - view.from);

  // Stripes as in the SVG, so that colour is not the only sign.
  const STROKES = [[], [], [[1, 0, 1, 4]], [[0, 1, 2, 1], [2, 3, 4, 3]], [[0, 1, 4, 1]], [], [[0, 6, 6, 0]]];
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (key) => style.getPropertyValue(`--${key}`).trim();
    ink = colour('ink'); soft = colour('soft'); link = colour('link'); paper = colour('paper');
    fills = LOOKS.map((look, i) => {
      if (i === 0) { return 'transparent'; }
      const tile = document.createElement('canvas'), size = i === WAIT ? 6 : 4, p = tile.getContext('2d');
      tile.width = tile.height = size;
      p.fillStyle = colour(look); p.fillRect(0, 0, size, size);
      p.strokeStyle = colour('x');
      for (const [a, b, c, d] of STROKES[i]) {
        p.beginPath(); p.moveTo(a, b); p.lineTo(c, d); p.stroke();
      }
      return pen.createPattern(tile, 'repeat');
    });
  };

  // The finest level whose bins are at least a pixel wide.
  const levelFor = () => {
    const perPixel = (view.to - view.from) / pixels();
    let best = levels[0];
    for (const level of levels) {
      best = level.width >= perPixel ? level : best;
    }
    return best;
  };

  // ---- pixels ---------------------------------------------------------------------------------------

  // What most of each pixel of a row is, of equal classes the last, as in bins.c; and how much of it is waiting.
  // From single calls where the page has them, else from the bin under the middle of the pixel.
  let looks = new Uint8Array(0), shares = new Float64Array(0);
  const before = new Float64Array(LOOKS.length), after = new Float64Array(LOOKS.length);

  const fromCalls = (s, n, perPixel, isWhole) => {
    const first = Math.max(Math.floor((s.from - view.from) / perPixel), 0);
    let call = 0, last = NaN;
    for (let x = first; x < n; x++) {
      const from = view.from + x * perPixel, to = from + perPixel;
      const a = Math.max(from, s.from), b = Math.min(to, s.to);
      if (from >= s.to) { break; }
      if (b <= a || (!isWhole && (a > from || b < to))) { continue; }
      if (a !== last) {
        call = callAt(s, a, call);
        timesUntil(s, a, call, after);
      }
      before.set(after);
      call = callAt(s, b, call);
      timesUntil(s, b, call, after);
      last = b;
      let best = 0, most = 0;
      for (let look = COMPUTE; look < LOOKS.length; look++) {
        const time = after[look] - before[look];
        if (time > 0 && time >= most) { best = look; most = time; }
      }
      looks[x] = best;
      shares[x] = (after[WAIT] - before[WAIT]) / (b - a);
    }
  };

  const fromBins = (index, n, perPixel) => {
    const level = levelFor(), base = index * level.n;
    for (let x = 0; x < n; x++) {
      const bin = Math.floor((view.from + (x + 0.5) * perPixel - begin) / level.width);
      looks[x] = level.look[base + bin];
      shares[x] = level.waited[base + bin] / 255;
    }
  };

  // Neighbours that look the same are one rectangle.
  const runs = (n, keyOf, paint) => {
    for (let x = 0; x < n;) {
      const key = keyOf(x);
      let end = x + 1;
      while (end < n && keyOf(end) === key) { end++; }
      if (key > 0) { paint(key, x, end); }
      x = end;
    }
  };
  const heightOf = (x) => (shares[x] > 0 ? 1 + Math.floor(shares[x] * 2.99) : 0);

  const drawRow = (index, y, scale) => {
    const n = Math.round(pixels() * scale), perPixel = (view.to - view.from) / n;
    const isWhole = box.dataset.whole === '1';
    if (looks.length < n) { looks = new Uint8Array(n); shares = new Float64Array(n); }
    looks.fill(0);
    shares.fill(0);
    if (!isWhole) { fromBins(index, n, perPixel); }
    for (const s of stretchesOf(rows[index])) {
      if (s.from < view.to && s.to > view.from) { fromCalls(s, n, perPixel, isWhole); }
    }
    runs(n, (x) => looks[x], (look, from, to) => {
      pen.fillStyle = fills[look];
      pen.fillRect(gutter + from / scale, y, (to - from) / scale, BAR);
    });
    pen.fillStyle = fills[WAIT];
    runs(n, heightOf, (height, from, to) => {
      pen.fillRect(gutter + from / scale, y + BAR + 1, (to - from) / scale, height);
    });
    pen.textAlign = 'right';
    if (gutter > GUTTER) {
      pen.fillStyle = soft;
      pen.fillText(rows[index].is, gutter - 10 - pen.measureText(rows[index].label).width, y + 10, 80);
    }
    pen.fillStyle = ink;
    pen.fillText(rows[index].label, gutter - 6, y + 10, GUTTER - 8);
    if (index === view.row) {
      pen.fillRect(gutter - 4, y, 2, BAR);
    }
  };

  const drawAxis = (height) => {
    const length = (view.to - view.from) / perSecond, from = view.from / perSecond;
    const least = length / Math.min(Math.max(pixels() / 110, 2), 12);
    const power = 10 ** Math.floor(Math.log10(least)), rest = least / power;
    const step = (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
    const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 15);
    pen.textAlign = 'center';
    pen.strokeStyle = pen.fillStyle = soft;
    for (let i = 0; i < 16; i++) {
      const at = (Math.ceil(from / step) + i) * step, x = xOf(at * perSecond);
      if (at > from + length || x > width - 20) { break; }
      pen.fillRect(x, height, 1, 4);
      pen.fillText(`${at.toFixed(decimals)} s`, Math.max(x, gutter + 20), height + 16);
    }
  };

  const byTime = [...frames].sort((a, b) => a.from - b.from);
  let labelEnd = 0; // of frames that are close together
  const drawFrame = (f, label, height) => {
    const a = Math.max(xOf(f.from), gutter), b = Math.min(xOf(f.to), width);
    if (b > gutter && a < width) {
      pen.strokeRect(a, TOP - 1, Math.max(b - a, 2), height);
      labelEnd = Math.max(Math.min(a, width - 50), labelEnd);
      pen.fillText(label, labelEnd, TOP - 4);
      labelEnd += pen.measureText(label).width + 4;
    }
  };

  // When a location comes to each step, and leaves the last one.
  const comesOf = (row) => {
    if (!row.times) {
      const bytes = bytesOf(row.comes || ''), at = { i: 0 }, next = reader(bytes, at);
      row.times = [];
      for (let time = 0; at.i < bytes.length;) { row.times.push(time += next()); }
    }
    return row.times;
  };
  // Each process comes to a step at its own time, so a step has the shape of a wave; where the page does not have
  // these times, it is a frame around all of them.
  const drawStep = (step, height) => {
    const ends = rows.slice(view.first, view.first + shown).map(comesOf)
      .map((times) => (times.length ? [times[step.number - 1], times[step.number]] : null));
    if (ends.every((one) => !one)) {
      drawFrame(step, `step ${step.number}`, height);
      return;
    }
    const clip = (ticks) => Math.min(Math.max(xOf(ticks), gutter), width);
    pen.lineWidth = 2;
    for (const side of [0, 1]) {
      pen.beginPath();
      ends.forEach((one, i) => {
        if (one) { pen.lineTo(clip(one[side]), TOP + i * ROW - 1); pen.lineTo(clip(one[side]), TOP + i * ROW + BAR + 1); }
      });
      pen.stroke();
    }
    ends.forEach((one, i) => {
      if (one) { pen.strokeRect(clip(one[0]), TOP + i * ROW - 1, Math.max(clip(one[1]) - clip(one[0]), 2), BAR + 2); }
    });
    pen.lineWidth = 1;
    pen.fillText(`step ${step.number}`, Math.min(clip(ends.find((one) => one)[0]), width - 50), TOP - 4);
  };

  // ---- who waits for whom, and the critical path ----------------------------------------------------

  const WIDE = 10, MOST_CALLS = 4000, MOST_ARROWS = 40;
  const inView = (row) => row >= view.first && row < view.first + shown;
  const yOf = (row) => TOP + (row - view.first) * ROW;

  // From the middle of a wait to whom it waits for, when it ends; dashed and without a head where the clocks do
  // not tell the order.
  const drawArrow = (index, s, i, c) => {
    const to = c.culprit - 1, isDown = to > index, end = Math.min(xOf(s.enter[i] + s.wait[i]), width);
    const y = yOf(to) + (isDown ? 1 : BAR - 1), isSure = isOrdered(rows[index], c);
    pen.setLineDash(isSure ? [] : [3, 3]);
    pen.beginPath();
    pen.moveTo(Math.max(xOf(s.enter[i] + s.wait[i] / 2), gutter), yOf(index) + (isDown ? BAR : 2));
    pen.lineTo(end, y);
    pen.stroke();
    if (isSure) {
      pen.beginPath();
      pen.moveTo(end, y); pen.lineTo(end - 4, y + (isDown ? -6 : 6)); pen.lineTo(end + 4, y + (isDown ? -6 : 6));
      pen.fill();
    }
  };
  // The longest of them, as in the pictures of causes: all would hide what they lead to.
  const drawArrows = () => {
    const found = [];
    const least = WIDE * (view.to - view.from) / pixels();
    for (let index = view.first; index < view.first + shown; index++) {
      for (const s of stretchesOf(rows[index])) {
        const first = callAt(s, view.from), last = callAt(s, view.to, first);
        for (let i = first; last - first < MOST_CALLS && i <= last && i < s.n; i++) {
          const c = s.wait[i] >= least && s.enter[i] < view.to ? readCall(reader(rows[index].bytes, { i: s.place[i] })) : null;
          if (c && c.culprit > 0 && c.culprit - 1 !== index && inView(c.culprit - 1)) { found.push({ index, s, i, c }); }
        }
      }
    }
    found.sort((a, b) => b.c.wait - a.c.wait);
    found.slice(0, MOST_ARROWS).forEach((one) => drawArrow(one.index, one.s, one.i, one.c));
    pen.setLineDash([]);
  };

  const path = [];
  const pathBytes = all('[data-path]').map((e) => bytesOf(e.dataset.path))[0];
  if (pathBytes) {
    const at = { i: 0 }, next = reader(pathBytes, at);
    for (let from = next(); at.i < pathBytes.length;) {
      const row = next(), to = from + next();
      path.push({ row, from, to });
      from = to;
    }
  }
  const drawPath = () => {
    let low = 0, high = path.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (path[middle].to <= view.from) { low = middle + 1; } else { high = middle; }
    }
    pen.lineWidth = 3;
    pen.beginPath();
    for (let i = low, isOpen = false; i < path.length && path[i].from < view.to; i++) {
      if (inView(path[i].row)) {
        const y = yOf(path[i].row) + BAR / 2;
        if (isOpen) { pen.lineTo(Math.max(xOf(path[i].from), gutter), y); } else { pen.moveTo(Math.max(xOf(path[i].from), gutter), y); }
        pen.lineTo(Math.min(xOf(path[i].to), width), y);
      }
      isOpen = inView(path[i].row);
    }
    pen.stroke();
    pen.lineWidth = 1;
  };

  // ---- what must have come before and after ------------------------------------------------------------

  let net = null;
  const getNet = () => {
    if (!net) {
      rows.forEach((row) => { row.before = bytesOf(row.order || ''); });
      net = netOf(rows, reader);
    }
    return net;
  };

  // The first record of the call behind call i of a stretch.
  const recordBehind = (row, s, i) => (i + 1 < s.n ? s.record[i + 1]
    : Math.min(...stretchesOf(row).map((one) => one.record[0]).filter((record) => record > s.record[i]), Infinity));

  // The call in which a record is, or what is computed around it, if that is in the page.
  const placeOf = (index, record) => {
    const row = rows[index];
    for (const s of stretchesOf(row)) {
      let low = 0, high = s.n;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (s.record[middle] <= record) { low = middle + 1; } else { high = middle; }
      }
      const i = low - 1;
      if (i >= 0 && record <= s.last[i]) {
        const c = readCall(reader(row.bytes, { i: s.place[i] }));
        return { index, record, says: name(c.region, c.look), from: s.enter[i], to: s.leave[i] };
      }
      if ((low < s.n || box.dataset.whole === '1') && (i >= 0 || (s === row.stretches[0] && box.dataset.whole === '1'))) {
        return { index, record, says: 'computes', from: i >= 0 ? s.leave[i] : s.from, to: low < s.n ? s.enter[low] : s.to };
      }
    }
    return null;
  };

  const doubtAbout = (past, future) => {
    const isSilent = rows.some((row, l) => past[l] >= row.silentFrom || future[l] <= row.silentTo);
    return box.dataset.doubt || (isSilent ? box.dataset.silence : '')
      || (rows.some((row) => row.order === undefined) ? 'of some locations the page does not know it' : '');
  };

  // What lies at a place and is asked about: a call, or what is computed before it.
  const findCut = (index, ticks) => {
    const row = rows[index], s = stretchesOf(row).find((one) => ticks >= one.from && ticks < one.to);
    if (!s || row.order === undefined) { return null; }
    const i = callAt(s, ticks), isCall = i < s.n && s.enter[i] <= ticks;
    const frame = box.dataset.net === '1' ? { from: begin, to: end } : frames.find((f) => ticks >= f.from && ticks <= f.to);
    const behind = recordBehind(row, s, i - 1), upTo = isCall ? s.last[i] : behind - 1;
    if (!frame) { return null; }
    const past = getNet().past(index, upTo), future = getNet().future(index, behind);
    const cut = { index, frame, id: frame.id, doubt: doubtAbout(past, future), past, future,
      enter: isCall ? s.enter[i] : i > 0 ? s.leave[i - 1] : s.from, leave: isCall ? s.leave[i] : i < s.n ? s.enter[i] : s.to,
      says: isCall ? sayCall(row, s, i) : sayGap(row, s, i) };
    const isIn = (place) => place && place.to >= frame.from && place.from <= frame.to;
    cut.places = rows.map((_, l) => {
      const last = past[l] > 0 ? placeOf(l, past[l]) : null, first = future[l] < Infinity ? placeOf(l, future[l]) : null;
      return { last: isIn(last) ? last : null, first: isIn(first) ? first : null };
    });
    cut.isCircle = past[index] > upTo;
    return cut;
  };

  // Pale is what has no order with it: from the begin of the last call that must have begun before to the end of the first one
  // that can only have ended after.
  const drawCut = () => {
    const cut = view.cut, left = Math.max(xOf(cut.frame.from), gutter), right = Math.min(xOf(cut.frame.to), width);
    const clip = (x) => Math.min(Math.max(x, left), Math.max(right, left));
    for (let index = view.first; index < view.first + shown; index++) {
      const { last, first } = cut.places[index], y = yOf(index) - 3, isOwn = index === cut.index;
      const a = clip(isOwn ? xOf(cut.enter) : last ? xOf(last.from) : left);
      const b = clip(isOwn ? xOf(cut.leave) : first ? xOf(first.to) : right);
      pen.fillStyle = paper;
      pen.globalAlpha = 0.72;
      if (!isOwn && b > a) { pen.fillRect(a, y, b - a, ROW); }
      pen.globalAlpha = 1;
      pen.fillStyle = pen.strokeStyle = link;
      if (isOwn) {
        pen.lineWidth = 2;
        pen.strokeRect(a, y + 1, Math.max(b - a, 2), ROW - 2);
        pen.lineWidth = 1;
      }
      if (!isOwn && last && a > left && a < right) { pen.fillRect(a - 1, y, 2, ROW); }
      if (!isOwn && first && b < right && b > left) { pen.fillRect(b - 1, y, 2, ROW); }
    }
  };

  // The same as a table, which needs no eyes for pale.
  const orderBox = document.createElement('div');
  const addressOf = (place) => (place
    ? `${rows[place.index].label}#${place.record}, ${place.says} from ${exact(place.from)} to ${exact(place.to)}` : '–');
  const listCut = () => {
    const cut = view.cut, some = [];
    orderBox.replaceChildren();
    if (!cut) { return; }
    const p = document.createElement('p');
    p.className = 'note';
    const counts = ['last', 'first'].map((side) => cut.places.filter((place, l) => place[side] && l !== cut.index).length);
    p.textContent = `${cut.says}. By messages and collective operations, not by clocks, something must have come before its end on ` +
      `${counts[0]} other locations, and something can only come after its begin on ${counts[1]}${cut.id ? `, within ${cut.id}` : ''}. ` +
      `Pale is what ${cut.doubt ? 'no record puts in an order with it' : 'has no order with it: it may have come earlier or later'}.` +
      `${cut.isCircle ? ' Records wait for each other in a circle here, so some of them are damaged.' : ''}` +
      `${cut.doubt ? ` There may be more: ${cut.doubt}.` : ''}`;
    const table = document.createElement('table'), caption = table.createCaption(), body = document.createElement('tbody');
    caption.textContent = 'What must have come before, and what can only come after; marple order past|future takes the addresses';
    const line = (kind, cells, into) => {
      const tr = document.createElement('tr');
      cells.forEach((text) => {
        const cell = document.createElement(kind);
        cell.textContent = text;
        if (kind === 'th') { cell.scope = 'col'; }
        tr.append(cell);
      });
      into.append(tr);
      return tr;
    };
    line('th', ['location', 'the last that must have come before', 'the first that can only come after'], table.createTHead());
    cut.places.forEach((place, l) => {
      if (l !== cut.index && (place.last || place.first)) { some.push(l); }
    });
    some.slice(0, MOST_ROWS).forEach((l) => {
      const { last, first } = cut.places[l];
      const tr = line('td', [who(rows[l]), addressOf(last), addressOf(first)], body);
      Object.assign(tr.dataset, { who: rows[l].label, past: last ? last.record : '', future: first ? first.record : '' });
    });
    table.append(body);
    const details = document.createElement('details'), summary = document.createElement('summary');
    summary.textContent = `By location${some.length > MOST_ROWS ? `, ${MOST_ROWS} of ${some.length}` : ''}`;
    const wide = document.createElement('div');
    Object.assign(wide, { className: 'wide', tabIndex: 0 });
    wide.setAttribute('role', 'region');
    wide.setAttribute('aria-label', 'Before and after, by location');
    wide.append(table);
    details.append(summary, wide);
    orderBox.append(p, details);
  };
  const askOrder = (index, ticks) => {
    view.cut = findCut(index, ticks);
    listCut();
    if (!view.cut) {
      tell(`${say(index, ticks)}; what must come before it is not in the page`);
    }
    redraw();
  };

  const draw = () => {
    pending = false;
    const scale = window.devicePixelRatio || 1, height = shown * ROW;
    width = canvas.clientWidth;
    gutter = hasRoles && width >= WIDE_PAGE ? GUTTER + 60 : GUTTER;
    canvas.width = Math.round(width * scale); canvas.height = (TOP + height + AXIS) * scale;
    pen.scale(scale, scale);
    pen.font = '11px system-ui, sans-serif';
    for (let i = 0; i < shown; i++) {
      drawRow(view.first + i, TOP + i * ROW, scale);
    }
    drawAxis(TOP + height);
    pen.strokeStyle = pen.fillStyle = ink;
    pen.textAlign = 'left';
    if (view.hasArrows) { drawArrows(); }
    if (view.cut) { drawCut(); }
    pen.strokeStyle = pen.fillStyle = ink;
    labelEnd = 0;
    byTime.forEach((f) => drawFrame(f, f.id, height));
    labelEnd = 0;
    if (view.hasPath) { drawPath(); }
    if (view.step) {
      pen.strokeStyle = pen.fillStyle = link;
      drawStep(view.step, height);
    }
    canvas.dataset.from = view.from; canvas.dataset.to = view.to; canvas.dataset.gutter = gutter;
  };
  const redraw = () => {
    if (!pending) { pending = true; requestAnimationFrame(draw); }
  };

  // ---- moving ---------------------------------------------------------------------------------------

  const show = (from, to) => {
    const length = Math.min(Math.max(to - from, 10), end - begin);
    view.from = Math.min(Math.max(from, begin), end - length);
    view.to = view.from + length;
    redraw();
  };
  const zoom = (factor, at) => {
    const centre = at === undefined ? (view.from + view.to) / 2 : at;
    show(centre - (centre - view.from) * factor, centre + (view.to - centre) * factor);
  };
  const pan = (share) => {
    const by = share * (view.to - view.from);
    show(view.from + by, view.to + by);
  };
  const place = document.createElement('span');
  const sayRows = () => {
    place.textContent = `${rows[view.first].label} to ${rows[view.first + shown - 1].label}, of ${rows.length} locations`;
  };
  const choose = (index) => {
    view.row = Math.min(Math.max(index, 0), rows.length - 1);
    view.first = Math.min(Math.max(view.first, view.row - shown + 1), view.row);
    sayRows();
    redraw();
  };
  const tell = (text) => { tip.textContent = text; };

  // The first wait of a location behind a moment: a single call where the page has them, else of the finest bins.
  const waitBehind = (index, ticks) => {
    let found = null;
    const take = (from, to) => {
      if (from > ticks && (!found || from < found.from)) { found = { index, from, to }; }
    };
    for (const s of stretchesOf(rows[index])) {
      for (let i = callAt(s, ticks); i < s.n; i++) {
        if (s.wait[i] > 0 && s.enter[i] > ticks) { take(s.enter[i], s.enter[i] + s.wait[i]); break; }
      }
    }
    if (box.dataset.whole !== '1') {
      const level = levels[levels.length - 1], base = index * level.n;
      for (let i = Math.max(Math.floor((ticks - begin) / level.width) + 1, 0); i < level.n; i++) {
        if (level.waited[base + i] > 0) {
          take(begin + i * level.width, begin + (i + 1) * level.width);
          break;
        }
      }
    }
    return found;
  };

  // To the next wait of one of these locations.
  const toWait = (indexes, who) => {
    let found = null;
    for (const index of indexes) {
      const one = waitBehind(index, view.at);
      found = one && (!found || one.from < found.from) ? one : found;
    }
    if (!found) {
      tell(`${who}: no wait behind ${exact(view.at)}; the next one is sought from the beginning`);
      view.at = begin - 1;
      return;
    }
    view.at = found.from;
    choose(found.index);
    show(found.from - 2.5 * (found.to - found.from), found.to + 2.5 * (found.to - found.from));
    tell(say(found.index, found.from));
  };
  const nextWait = () => toWait([view.row], rows[view.row].label);
  const nextWaitOfAll = () => toWait(rows.keys(), 'all');

  const toFrame = (f) => {
    const margin = (f.to - f.from) / 4;
    show(f.from - margin, f.to + margin);
  };

  // A step is numbered from 1, as everywhere; see data.c.
  const steps = [];
  const stepBytes = all('[data-steps]').map((e) => bytesOf(e.dataset.steps))[0];
  if (stepBytes) {
    const at = { i: 0 }, next = reader(stepBytes, at);
    for (let from = 0; at.i < stepBytes.length;) {
      from += next();
      steps.push({ number: steps.length + 1, from, to: from + next() });
    }
  }
  const toStep = (number) => {
    const step = steps[number - 1];
    if (!step) {
      tell(steps.length ? `The run has steps 1 to ${steps.length}.` : 'The page knows of no steps.');
      return;
    }
    view.step = step;
    view.at = step.from - 1;
    document.getElementById(`step${key}`).value = number;
    toFrame(step);
    tell(`Step ${number} of ${steps.length}: ${short(step.to - step.from)}, from ${exact(step.from)} to ` +
      `${exact(step.to)}: from when the first process is in it until the last one leaves it`);
  };

  // The address of the page names a finding, #f1, or a step, #step=160.
  const follow = () => {
    const step = /^#step=(\d+)$/.exec(location.hash);
    const f = frames.find((one) => location.hash === `#${one.id}`);
    if (step) {
      toStep(Number(step[1]));
      if (document.querySelector('.data') === box) { bar.scrollIntoView(); }
    } else if (f) {
      toFrame(f);
    }
  };

  // So many rows on, or back.
  const page = (times) => {
    view.first = Math.min(Math.max(view.first + times * shown, 0), rows.length - shown);
    choose(view.row + times * shown);
  };
  const KEYS = {
    '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), '0': () => show(begin, end),
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
    ArrowUp: () => choose(view.row - 1), ArrowDown: () => choose(view.row + 1),
    PageUp: () => page(-1), PageDown: () => page(1),
    n: nextWait, N: nextWaitOfAll, c: () => togglePath(), a: () => toggleArrows(), Enter: () => tell(say(view.row, (view.from + view.to) / 2)),
    b: () => askOrder(view.row, (view.from + view.to) / 2), Escape: () => { tell(''); view.cut = view.step = null; listCut(); redraw(); },
  };

  const button = (into, text, label, act) => {
    const b = document.createElement('button');
    b.type = 'button'; b.textContent = text; b.title = label; b.setAttribute('aria-label', label);
    b.addEventListener('click', act);
    into.append(b);
    return b;
  };

  const listen = () => {
    let held = null;
    const rowAt = (y) => view.first + Math.min(Math.max(Math.floor((y - TOP) / ROW), 0), shown - 1);
    canvas.addEventListener('keydown', (e) => {
      if (KEYS[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { KEYS[e.key](); e.preventDefault(); }
    });
    // A wheel alone scrolls the page, as everywhere.
    canvas.addEventListener('wheel', (e) => {
      if (e.ctrlKey || e.shiftKey) {
        e.preventDefault();
        zoom((e.deltaY || e.deltaX) > 0 ? 1.25 : 0.8, ticksAt(e.offsetX));
      }
    }, { passive: false });
    canvas.addEventListener('pointerdown', (e) => {
      held = { x: e.offsetX, row: rowAt(e.offsetY), from: view.from, to: view.to };
      canvas.setPointerCapture(e.pointerId);
      view.at = ticksAt(e.offsetX);
      choose(rowAt(e.offsetY));
    });
    canvas.addEventListener('pointerup', (e) => {
      if (held && Math.abs(held.x - e.offsetX) < 4 && held.row === rowAt(e.offsetY)) { askOrder(held.row, ticksAt(e.offsetX)); }
      held = null;
    });
    canvas.addEventListener('pointermove', (e) => {
      if (held) {
        const by = (held.x - e.offsetX) / pixels() * (held.to - held.from);
        show(held.from + by, held.to + by);
      } else if (e.offsetX > gutter && e.offsetY < TOP + shown * ROW) {
        tell(say(rowAt(e.offsetY), ticksAt(e.offsetX)));
      }
    });
    canvas.addEventListener('dblclick', (e) => zoom(0.25, ticksAt(e.offsetX)));
    window.addEventListener('resize', redraw);
    window.addEventListener('hashchange', follow);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColours(); redraw(); });
    for (const link of document.querySelectorAll('a[href="#timeline"]')) {
      const cause = link.closest('article');
      const f = frames.find((one) => cause && one.id === cause.id);
      if (f) { link.addEventListener('click', () => toFrame(f)); }
    }
  };

  const bar = document.createElement('p');
  bar.className = 'bar';
  button(bar, '+', 'zoom in (+)', () => zoom(0.5));
  button(bar, '−', 'zoom out (-)', () => zoom(2));
  button(bar, 'whole run', 'whole run (0)', () => show(begin, end));
  button(bar, 'next wait', 'next wait of the chosen location (n); of all (N)', nextWait);
  for (const f of frames) {
    button(bar, f.id, `the stretch of ${f.id}`, () => toFrame(f));
  }
  const toggle = (what, id) => {
    const b = document.getElementById(id);
    if (!b) { return; }
    view[what] = !view[what];
    b.setAttribute('aria-pressed', view[what]);
    redraw();
  };
  const toggleArrows = () => toggle('hasArrows', `arrows${key}`);
  const togglePath = () => {
    toggle('hasPath', `path${key}`);
    tell(view.hasPath ? 'The line is the critical path: who was busy at each moment while others waited in the end for that.' : '');
  };
  const arrows = button(bar, 'arrows', 'arrows from who waits to whom it waits for (a)', toggleArrows);
  arrows.id = `arrows${key}`;
  arrows.setAttribute('aria-pressed', true);
  if (path.length) {
    const b = button(bar, 'critical path', 'critical path (c)', togglePath);
    b.id = `path${key}`;
    b.setAttribute('aria-pressed', false);
  }
  if (steps.length) {
    const label = document.createElement('label'), input = document.createElement('input');
    Object.assign(input, { type: 'number', min: 1, max: steps.length, id: `step${key}` });
    input.addEventListener('change', () => { location.hash = `#step=${input.value}`; });
    label.append('step ', input, ` of ${steps.length}`);
    bar.append(label);
  }
  if (rows.length > shown) {
    button(bar, '↑', 'locations before these (Page Up)', () => page(-1));
    button(bar, '↓', 'locations behind these (Page Down)', () => page(1));
    bar.append(place);
    sayRows();
  }
  canvas.tabIndex = 0;
  canvas.id = `canvas${key}`;
  canvas.className = 'canvas';
  canvas.style.height = `${TOP + shown * ROW + AXIS}px`;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', 'Time line of the run. Arrow keys move and choose a location, Page Up and Page Down others, plus and minus ' +
    'zoom, 0 shows the whole run, n goes to the next wait of the location, N to that of any, c shows the critical path, a hides the arrows, Enter says what is in ' +
    'the middle, b what must have come before it and after it.');
  tip.id = `tip${key}`;
  tip.className = 'tip';
  tip.textContent = 'Drag to move; double-click, + and − or Ctrl with the wheel to zoom; n for the next wait; a click on a call shows ' +
    'what must have come before it and after it.';
  orderBox.id = `order${key}`;
  orderBox.setAttribute('aria-live', 'polite');
  if (rows.length <= MOST_ROWS) {
    plot.classList.add('live');
  }
  plot.after(bar, canvas, tip, orderBox);
  readColours();
  listen();
  draw();
  follow();
});
