/** Where things lie on the drawing. The planet's radius is `R`; up is sector 10. */
import { facts, forcesText, onlyStay, sectorOf, territoryOf, total } from '../facts.js';

export const R = 1000;
/** Half of the drawing's width: the planet, the rim, and the player circles around it. */
export const HALF = 1175;
export const CIRCLE_AT = 1098;

/**
 * A point of a sector.
 * @param {number} sector @param {number} radius @param {number} [shift] degrees from the sector's middle
 * @returns {[number, number]}
 */
export function polar(sector, radius, shift = 0) {
  const angle = ((180 - 20 * (sector - 1) + shift) * Math.PI) / 180;
  return [Math.sin(angle) * radius, -Math.cos(angle) * radius];
}

/** @param {[number, number]} at */
const point = ([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`;

/** The wedge of a sector between two radii, as a path. */
export function wedge(sector, inner, outer) {
  return `M${point(polar(sector, inner, -10))} L${point(polar(sector, outer, -10))}`
    + ` A${outer},${outer} 0 0 1 ${point(polar(sector, outer, 10))} L${point(polar(sector, inner, 10))}`
    + ` A${inner},${inner} 0 0 0 ${point(polar(sector, inner, -10))}Z`;
}

/** Where a location's tokens stand. @param {string} place @returns {[number, number]} */
export function at(place) {
  const [x, y] = facts().places[place].at;
  return [x * R, y * R];
}

/** The middle of a territory's name. @param {string} territory @returns {[number, number]} */
export function labelAt(territory) {
  const [x, y] = facts().territories[territory].label;
  return [x * R, y * R];
}

/**
 * All tokens to draw: forces by place and faction, and spice, each with where it stands.
 * @param {Record<string, import('../types.js').Place>} places
 */
export function tokens(places) {
  const found = [];
  for (const [place, { forces = {}, spice = 0 }] of Object.entries(places)) {
    const rows = Object.entries(forces).map(([faction, kinds]) => ({
      key: `${place}/${faction}`, place, faction, count: total(kinds), stays: onlyStay(kinds),
      special: !onlyStay(kinds) && Object.keys(kinds).some((kind) => kind !== 'regular'),
    })).filter((row) => row.count > 0);
    const stack = [...rows, ...(spice ? [{ key: `${place}/spice`, place, spice, count: spice }] : [])];
    found.push(...spread(place, stack));
  }
  return found;
}

const ROW = 104;

/** Tokens of one location: one under the other, in two columns where there are many. */
function spread(place, stack) {
  const [x, y] = at(place);
  const columns = stack.length > 3 ? 2 : 1;
  const rows = Math.ceil(stack.length / columns);
  return stack.map((token, index) => {
    const column = index % columns;
    const row = Math.floor(index / columns);
    return { ...token, x: x + (column - (columns - 1) / 2) * 165, y: y + (row - (rows - 1) / 2) * ROW };
  });
}

/** The territory that lies nearest in a direction, for the arrow keys: a neighbour if there is one that way. */
export function neighbourTowards(territory, key) {
  const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  const [x, y] = labelAt(territory);
  let best = null;
  let least = Infinity;
  for (const other of facts().territories[territory].adjacent) {
    const [ox, oy] = labelAt(other);
    const along = (ox - x) * dx + (oy - y) * dy;
    const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (along > 0 && along >= across * 0.6 && along + across * 2 < least) {
      least = along + across * 2;
      best = other;
    }
  }
  return best;
}

/** Places of a territory. @param {string} territory @returns {string[]} */
export const placesOf = (territory) => facts().territories[territory].sectors.map((sector) => `${territory}:${sector}`);

/** What lies in a territory, in a sentence. @param {string} territory @param {import('../types.js').SeatView} view */
export function sentence(territory, view) {
  const fact = facts().territories[territory];
  const parts = [fact.sectors.length > 1 ? `${fact.name}, sectors ${fact.sectors.join(', ')}` : fact.sectors[0] ? `${fact.name}, sector ${fact.sectors[0]}` : fact.name];
  const forces = {};
  let spice = 0;
  for (const place of placesOf(territory)) {
    spice += view.places[place]?.spice || 0;
    for (const [faction, kinds] of Object.entries(view.places[place]?.forces || {})) {
      const held = forces[faction] ||= {};
      for (const [kind, number] of Object.entries(kinds)) held[kind] = (held[kind] || 0) + number;
    }
  }
  for (const [faction, kinds] of Object.entries(forces)) parts.push(`${facts().factions[faction].name} ${forcesText(kinds)}`);
  if (spice) parts.push(`${spice} spice`);
  if (fact.sectors.includes(view.storm)) parts.push(fact.protected ? 'storm around it' : 'in the storm');
  return parts.join('; ');
}

export { sectorOf, territoryOf };
