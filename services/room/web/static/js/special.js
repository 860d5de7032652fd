/** Nicer sheets for a few questions, built on the same choices: a kind without one gets the generic widgets. */
import { html } from './html.js';
import { counted, initial, labelOf } from './choice.js';
import { leaderOf, nameOf, phaseName, words } from './facts.js';
import { Badge } from './glyphs.js';
import { Button, Stepper } from './ui.js';
import { Field, Fields, Needs, Variant } from './widgets/compound.js';

/** How strong a plan is as drafted: the dial and the leader. */
export function planTotal(value) {
  const leader = value?.leader ? leaderOf(value.leader) : null;
  const strength = leader ? leader.strength : 0;
  return { dial: value?.dial || 0, strength, sum: (value?.dial || 0) + strength, leader: value?.leader || null };
}

/** Both sides of the battle, with what stands there. */
function Sides({ offer, me }) {
  const { territory, aggressor, opponent, forces = {} } = offer.about || {};
  if (!territory || !opponent) return '';
  const defender = aggressor === opponent ? me : opponent;
  return html`<div class="sides"><p class="sides-place">${nameOf(territory)}</p>
    ${[aggressor, defender].map((faction) => html`<div class="combatant" key=${faction}><${Badge} faction=${faction} name big />
      <span class="side-role">${faction === aggressor ? 'attacks' : 'defends'} with ${counted(forces[faction] || 0, 'forces')}</span></div>`)}</div>`;
}

/** What Prescience showed this seat, or made it show: only marks that it may see. */
function Known({ view }) {
  const rows = Object.entries(view.marks).filter(([name]) => name.startsWith('battle.shown.'));
  const voice = view.marks['battle.voice'];
  if (!rows.length && !voice) return '';
  return html`<ul class="known">${voice ? html`<li>The Voice: ${nameOf(voice[0])} must ${voice[1] === 'forbid' ? 'not play' : 'play'} <strong>${nameOf(voice[2])}</strong></li>` : ''}${rows.map(([name, value]) => {
    const [, , target, element] = name.split('.');
    return html`<li key=${name}>${nameOf(target)} showed ${nameOf([].concat(value)[0])}: ${words(element).toLowerCase()} <strong>${nameOf([].concat(value)[1])}</strong></li>`;
  })}</ul>`;
}

function BattleForm({ offer, value, onChange, view }) {
  const { fields } = offer.choice;
  const total = planTotal(value);
  const set = (name) => (changed) => onChange({ ...value, [name]: changed });
  const field = (name) => html`<${Field} key=${name} name=${name} shape=${fields[name]} path="" label=${labelOf(offer.choice, name)}
    value=${value?.[name]} onChange=${set(name)} />`;
  const further = Object.keys(fields).filter((name) => !['leader', 'dial', 'weapon', 'defense'].includes(name));
  return html`<div class="battle">
    <${Sides} offer=${offer} me=${view.seat} />
    <${Known} view=${view} />
    <p class="total" role="status" data-testid="battle-total">
      <span class="total-sum">${total.sum}</span>
      <span class="total-parts">dial ${total.dial}${total.strength ? ` + ${nameOf(total.leader)} ${total.strength}` : ''}
        <span class="muted"> if your leader lives</span></span></p>
    ${['dial', 'leader', 'weapon', 'defense', ...further].filter((name) => fields[name]).map(field)}
    <${Needs} shape=${offer.choice} value=${value} />
  </div>`;
}

/** The lowest bid, one more, some more: what is bid most, one tap away. */
const steps = (shape) => [0, 1, 2, 4].map((more) => shape.low + more).filter((number) => number <= shape.high);

function BidForm({ offer, value, onChange, view }) {
  const { about = {} } = offer;
  const plain = offer.choice.variants.bid?.fields.amount;
  const bidding = value?.do === 'bid';
  const set = (amount) => onChange({ do: 'bid', amount });
  const others = { ...offer.choice, variants: { ...offer.choice.variants } };
  delete others.variants.bid;
  delete others.variants.pass;
  const hasOthers = Object.keys(others.variants).length || Object.keys(others.off || {}).length;
  return html`<div class="auction">
    <div class="standing-bid"><span class="lot">Card ${about.card} of ${about.of}</span>
      ${about.bidder ? html`<${Badge} faction=${about.bidder} name big /><span class="bid-now">bids ${about.bid}</span>`
        : html`<span class="bid-now">no bid yet</span>`}
      <span class="purse">You have ${view.spice[view.seat] ?? 0} spice</span></div>
    ${plain ? html`<div class="bid-amount">
      <${Stepper} value=${bidding ? value.amount : plain.low} low=${plain.low} high=${plain.high} unit="spice" label="Your bid"
        onChange=${set} testid="number-bid" />
      <div class="chips">${steps(plain).map((number) => html`<${Button} key=${number} kind="chip" pressed=${bidding && value.amount === number}
        onPress=${() => set(number)}>${number}<//>`)}</div></div>` : ''}
    ${hasOthers ? html`<details class="other-ways" open=${!plain || (value?.do && !bidding && value.do !== 'pass')}>
      <summary>Other ways</summary>
      <${Variant} shape=${others} value=${bidding || value?.do === 'pass' ? {} : value} onChange=${onChange} label="Other ways to bid" path="" />
    </details>` : ''}
  </div>`;
}

/** A prediction: who, and in which turn. */
function PredictionForm({ offer, value, onChange }) {
  return html`<div><p class="muted">Nobody else sees it before it comes true. ${phaseName('mentat')} decides.</p>
    <${Fields} shape=${offer.choice} value=${value} onChange=${onChange} path="" /></div>`;
}

/** @type {Record<string, {fits: (offer: any) => boolean, Form: any, about?: boolean}>} */
export const SPECIAL = {
  battle_plan: { fits: (offer) => offer.choice.shape === 'fields' && 'dial' in offer.choice.fields, Form: BattleForm, about: true },
  bid: { fits: (offer) => offer.choice.shape === 'variant' && !!offer.about, Form: BidForm, about: true },
  prediction: { fits: (offer) => offer.choice.shape === 'fields', Form: PredictionForm },
};

/**
 * The draft of a question that nobody has touched yet. Where silence means doing nothing and only one thing can be
 * done, that thing is drafted, since leaving it has its own button.
 * @param {import('./types.js').Offer} offer
 */
export function firstDraft(offer) {
  if (offer.committed !== undefined && offer.committed !== null) return initial(offer.choice, offer.committed);
  const idle = idleAnswer(offer);
  if (!idle) return initial(offer.choice, offer.default);
  const doing = Object.keys(offer.choice.variants).filter((name) => name !== idle.do);
  if (!doing.length) return idle;
  const first = doing.length === 1 ? doing[0] : offer.kind === 'bid' && doing.includes('bid') ? 'bid' : null;
  return first ? { do: first, ...initial(offer.choice.variants[first]) } : {};
}

/** The default where it means doing nothing: a variant without fields. @param {import('./types.js').Offer} offer */
export function idleAnswer(offer) {
  if (offer.choice.shape !== 'variant' || offer.clock === '') return null;
  const name = offer.default?.do;
  const fields = offer.choice.variants[name]?.fields;
  return fields && !Object.keys(fields).length ? { do: name } : null;
}
