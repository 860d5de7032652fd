/** What questions and buttons are called. */
import { counted, describe, forcesIn, labelOf } from './choice.js';
import { isFaction, nameOf, words } from './facts.js';

const KINDS = {
  traitor: 'Keep a traitor', prediction: 'Your prediction', placement: 'Place your forces', placement_one: 'Place your first force', storm_dial: 'Dial the storm',
  bid: 'Bid', battle_plan: 'Battle plan', shipment: 'Ship forces', movement: 'Move forces', move: 'Move forces',
  accompany: 'Accompany', announce_fighters: 'Advisors become fighters', intrusion: 'Fighters become advisors', advisors_arrive: 'Advisors become fighters',
  battle_losses: 'Your losses', battle_cards: 'Your cards', whole_plan: 'See a whole plan', capture: 'Capture a leader', captive: 'Your captive',
  revival: 'Revive', charity: 'CHOAM charity', orders: 'Standing orders', permission: 'Lend a power', bribe: 'Bribe', nexus_card: 'Play your Nexus card', nexus_draw: 'Draw a Nexus card',
};

/** Questions about Nexus cards, by what everybody sees going on. */
const NEXUS = {
  guild_payment: 'Payment for a shipment', harkonnen_traitor: 'Harkonnen call a traitor', borrowed_voice: 'Before the battle', battle_won: 'Battle won',
  battle_lost: 'Battle lost', forced_payment: 'Payment for a card', price_kept: 'Payment for a card', bought_card: 'A card was bought',
  worthless_trade: 'Trade a Worthless card', distant_ride: 'A worm where nobody is', ride: 'Fremen ride a worm', worm: 'A worm devours',
  two_territories: 'Fremen move two territories',
};

/** Answers that cannot be taken back and tell others much: shown once more before they are sent. */
export const REVIEWED = new Set(['battle_plan', 'prediction']);

/** Powers that are cancelled, where the words of the id do not say it. */
const POWERS = {
  ally_traitor: 'call for an ally', order: 'choice of its turn', flip: 'turning of advisors', worthless_karama: 'Worthless card as a Karama',
  storm_look: 'look at the storm', spice_look: 'look at the spice deck', auction_look: 'look at the card for sale',
};

const WAYS = {
  strongholds: 'enough strongholds are held', most_strongholds: 'most strongholds at the end', prediction: 'as the Bene Gesserit foretold',
  fremen: 'the Fremen were not hindered', fremen_without_guild: 'nobody else has won', guild: 'nobody could stop the Guild’s trade',
};

/** By which way a game was won. @param {string} way */
export const wayText = (way) => WAYS[way] || words(way).toLowerCase();

/** A title in the middle of a sentence: its first letter small, names in it as they are. @param {string} text */
export const inSentence = (text) => (/^[A-Z]{2}/.test(text) || isFaction(text.split(' ')[0].toLowerCase()) ? text : text.charAt(0).toLowerCase() + text.slice(1));

/** @param {string} kind */
export function kindName(kind) {
  if (kind in KINDS) return KINDS[kind];
  const cancel = kind.match(/(?:^|\.)cancel\.([^.]+)\.(.+)$/);
  if (cancel?.[1] === 'nexus') return `Cancel the Nexus card ${nameOf(cancel[2].split('.')[0])}?`;
  if (cancel) return `Cancel ${nameOf(cancel[1])}’s ${POWERS[cancel[2]] || words(cancel[2]).toLowerCase()}?`;
  const asked = kind.replace(/^window\.(nexus\.)?/, '');
  return (kind.startsWith('window.nexus.') && NEXUS[asked]) || words(asked);
}

/**
 * What the button that sends this answer says.
 * @param {import('./types.js').Offer} offer
 * @param {any} value
 */
export function submitLabel(offer, value) {
  const { choice } = offer;
  if (offer.kind === 'battle_plan') return 'Commit plan';
  if (offer.kind === 'prediction') return 'Seal the prediction';
  if (choice.shape === 'variant') {
    if (!value?.do) return 'Choose what to do';
    if (offer.kind === 'bid' && value.do === 'bid') return `Bid ${value.amount}`;
    const fields = choice.variants[value.do]?.fields || {};
    return withFields(labelOf(choice, value.do), fields, value, kindName(offer.kind));
  }
  const names = Object.keys(choice.fields);
  if (names.length === 1) return single(offer, choice.fields[names[0]], value?.[names[0]], labelOf(choice, names[0]));
  return withFields('', choice.fields, value || {}) || `Confirm: ${inSentence(kindName(offer.kind))}`;
}

/** A thing to do with the one number or transfer that matters in it. */
function withFields(label, fields, value, kind = '') {
  const transfer = Object.entries(fields).find(([, shape]) => shape.shape === 'transfer');
  if (transfer) {
    const { from, to } = value[transfer[0]] || {};
    const verb = (/^[A-Z]/.test(label) ? label : kind || 'Send').split(' ')[0];
    return `${verb} ${counted(forcesIn(from), 'forces')} to ${to ? nameOf(to) : '…'}`;
  }
  const numbers = Object.entries(fields).filter(([, shape]) => shape.shape === 'number');
  if (numbers.length === 1 && Object.keys(fields).length === 1 && label) return `${label} ${value[numbers[0][0]] ?? ''}`.trim();
  return label;
}

function single(offer, shape, value, label) {
  switch (shape.shape) {
    case 'number': return `${label === 'Choice' ? kindName(offer.kind) : label} ${describe(shape, value)}`;
    case 'transfer': return withFields('Send', { it: shape }, { it: value });
    case 'one_of': return value === undefined ? 'Choose one' : `Choose ${describe(shape, value)}`;
    case 'many_of': return `Choose ${(value || []).length}`;
    case 'amounts': return `Confirm ${counted(Object.values(value || {}).reduce((sum, n) => sum + n, 0), shape.unit ?? 'forces')}`;
    case 'text': return 'Say it';
    default: return 'Confirm';
  }
}

/**
 * Answers that take one tap: a few things to do of which none asks for more. A bid's lowest number is one, too.
 * @param {import('./types.js').Offer} offer
 * @returns {{label: string, answer: any, primary: boolean}[]}
 */
export function quickAnswers(offer) {
  if (offer.choice.shape !== 'variant') return [];
  const names = Object.keys(offer.choice.variants);
  const found = names.filter((name) => !Object.keys(offer.choice.variants[name].fields).length)
    .map((name) => ({ label: short(labelOf(offer.choice, name)), answer: { do: name }, primary: name !== 'pass' && name !== 'no' }));
  if (offer.kind === 'bid') found.push(...lowestBid(offer));
  const whole = found.length === names.length || offer.kind === 'bid';
  return whole && found.length <= 2 && !found.some(({ label }) => label.length > 16) ? found : [];
}

function lowestBid(offer) {
  const entry = Object.entries(offer.choice.variants).find(([name]) => name === 'bid');
  if (!entry) return [];
  const numbers = Object.entries(entry[1].fields);
  if (numbers.length !== 1 || numbers[0][1].shape !== 'number') return [];
  const [field, shape] = numbers[0];
  return [{ label: `Bid ${shape.low}`, answer: { do: 'bid', [field]: shape.low }, primary: true }];
}

const short = (text) => text.replace(/\.$/, '');
