'use strict';
// Finds what must have come before a record and after it, by messages, collective operations and threads alone: no clock is
// asked. Places on a location are numbers of records; before.c says what is in the bytes.
const netOf = (rows, readerOf) => {
  const links = new Map(); // what belongs together: its first ends, its last ends, whether it needs what the link before needs
  const ends = rows.map((row, location) => {
    const found = { first: [], last: [] };
    const at = { i: 0 }, next = readerOf(row.before, at), lastLink = [0, 0, 0, 0];
    for (let record = 0; at.i < row.before.length;) {
      record += next();
      const code = next(), kind = code % 4, by = Math.floor(code / 8);
      lastLink[kind] += by % 2 ? -(by + 1) / 2 : by / 2;
      const key = lastLink[kind] * 2 + (kind > 1 ? 1 : 0); // those with two ends are numbered apart
      if (!links.has(key)) { links.set(key, { first: [], last: [], continues: false }); }
      const link = links.get(key), side = kind % 2 ? 'first' : 'last';
      link.continues = link.continues || code % 8 > 3;
      link[side].push({ location, record });
      found[side].push({ record, key });
    }
    return found;
  });

  // The links that the one of this key needs, or that need it, with itself.
  function* chainFrom(key, isFuture) {
    for (let at = key; links.has(at); at += isFuture ? 2 : -2) {
      if (isFuture && at !== key && !links.get(at).continues) { return; }
      yield at;
      if (!isFuture && !links.get(at).continues) { return; }
    }
  }

  // Of each location the last record that must have come before (0: none), or the first one after (Infinity: none).
  const cut = (location, record, isFuture) => {
    const none = isFuture ? Infinity : 0, known = rows.map(() => none), seen = new Set();
    const side = isFuture ? 'first' : 'last', other = isFuture ? 'last' : 'first';
    const left = ends.map((one) => (isFuture ? one[side].length - 1 : 0)), queue = [];
    const learn = (place) => {
      if (isFuture ? place.record < known[place.location] : place.record > known[place.location]) {
        known[place.location] = place.record;
        queue.push(place.location);
      }
    };
    const follow = (key) => {
      for (const at of chainFrom(key, isFuture)) {
        if (seen.has(at)) { return; }
        seen.add(at);
        links.get(at)[other].forEach(learn);
      }
    };
    learn({ location, record });
    while (queue.length) {
      const l = queue.pop(), list = ends[l][side];
      while (isFuture ? left[l] >= 0 && list[left[l]].record >= known[l] : left[l] < list.length && list[left[l]].record <= known[l]) {
        follow(list[left[l]].key);
        left[l] += isFuture ? -1 : 1;
      }
    }
    return known;
  };
  return { past: (location, record) => cut(location, record, false), future: (location, record) => cut(location, record, true) };
};
