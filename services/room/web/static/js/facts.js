/** Printed facts (names, card texts, the map), loaded once, and words made from ids. */

/** @type {any} */
let loaded = null;

/** @param {string} address of the bundle of facts */
export async function loadFacts(address) {
  const answer = await fetch(address, { credentials: 'same-origin' });
  if (!answer.ok) throw new Error('The facts of the game could not be loaded; reload the page.');
  loaded = await answer.json();
  return loaded;
}

export const facts = () => loaded;

export const CODES = {
  atreides: 'AT', bene_gesserit: 'BG', emperor: 'EM', fremen: 'FR', guild: 'GU', harkonnen: 'HA',
  ixians: 'IX', tleilaxu: 'TL', choam: 'CH', richese: 'RI', ecaz: 'EC', moritani: 'MO',
};

/** The six that can be played in the base game, in the order of the list. */
export const BASE = ['atreides', 'bene_gesserit', 'emperor', 'fremen', 'guild', 'harkonnen'];

export const PHASES = [
  ['storm', 'Storm'], ['spice_blow', 'Spice blow'], ['charity', 'CHOAM charity'], ['bidding', 'Bidding'],
  ['revival', 'Revival'], ['shipment', 'Shipment and movement'], ['battle', 'Battle'],
  ['collection', 'Spice collection'], ['mentat', 'Mentat pause'],
];

/** @param {string} id */
export const isFaction = (id) => id in CODES;

/** @param {string} piece `shield#2`, `traitor:chani` */
export const face = (piece) => String(piece).split('#')[0].split(':').pop() || '';

/** @param {string} place */
export const territoryOf = (place) => String(place).split(':')[0];

/** @param {string} place */
export const sectorOf = (place) => Number(String(place).split(':')[1] || 0);

/** @param {string} id */
export function words(id) {
  const text = String(id).replace(/[_.]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * What people call a faction, leader, card, territory or location; words made from the id for anything else.
 * @param {any} id
 * @returns {string}
 */
export function nameOf(id) {
  if (id === null || id === undefined || id === '') return 'nothing';
  if (typeof id !== 'string') return String(id);
  if (!loaded) return words(id);
  const [territory, sector] = id.split(':');
  if (sector !== undefined && territory in loaded.territories) {
    const found = loaded.territories[territory];
    return found.sectors.length > 1 ? `${found.name}, sector ${sector}` : found.name;
  }
  const key = face(id);
  for (const table of ['factions', 'leaders', 'specials', 'cards', 'spice', 'nexus', 'territories']) {
    if (key in loaded[table]) return loaded[table][key].name;
  }
  return words(id);
}

/** @param {string} id */
export function phaseName(id) {
  if (id === 'setup') return 'Setup';
  const found = PHASES.find(([key]) => key === id);
  return found ? found[1] : words(id);
}

/** @param {string} piece */
export const cardOf = (piece) => (loaded ? loaded.cards[face(piece)] : undefined);

/** @param {string} piece */
export const leaderOf = (piece) => (loaded ? loaded.leaders[face(piece)] : undefined);

/** What forces of a kind are called: `advisor`, `advisors`, `Sardaukar`. @param {string} kind @param {number} [n] */
export const kindOfForce = (kind, n = 2) => loaded?.forces[kind]?.[n === 1 ? 'one' : 'many'] ?? words(kind).toLowerCase();

/** Whether these forces only stay where they are: advisors, who do not take part. @param {Record<string, number>} kinds */
export const onlyStay = (kinds) => Object.entries(kinds).every(([kind, n]) => !n || loaded?.forces[kind]?.stays);

/** @param {string} piece a leader beside the five of a faction */
export const specialOf = (piece) => (loaded ? loaded.specials[face(piece)] : undefined);

/**
 * "3", "2 advisors", "3 + 1 Sardaukar": forces of kinds other than regular are named.
 * @param {Record<string, number>|undefined} kinds
 */
export function forcesText(kinds) {
  const parts = Object.entries(kinds || {}).filter(([, number]) => number > 0);
  if (!parts.length) return 'none';
  return parts.map(([kind, n]) => (kind === 'regular' ? `${n}` : `${n} ${kindOfForce(kind, n)}`)).join(' + ');
}

/** @param {Record<string, number>|undefined} kinds */
export const total = (kinds) => Object.values(kinds || {}).reduce((sum, number) => sum + number, 0);
