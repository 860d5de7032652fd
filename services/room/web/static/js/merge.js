/** Folding: how a view changes by an RFC 7386 merge patch, and what a view holds when the wire leaves it out. */

/**
 * The value after a merge patch: objects are merged, null removes, everything else replaces. Changes nothing in place.
 * @param {any} target
 * @param {any} patch
 * @returns {any}
 */
export function mergePatch(target, patch) {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const base = target !== null && typeof target === 'object' && !Array.isArray(target) ? target : {};
  const result = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(base[key], value);
  }
  return result;
}

const EMPTY = {
  seat: null, settings: {}, turn: 0, phase: 'setup', storm: 18, order: [], places: {}, factions: {}, zones: {},
  counts: {}, marks: {}, memory: [], spice: {}, offers: [], standing: [], waiting: [], result: null,
};

/**
 * A view with every field; the wire leaves out what has its usual value.
 * @param {any} raw
 * @returns {import('./types.js').SeatView}
 */
export function wholeView(raw) {
  return { ...EMPTY, ...raw };
}
