/** Nicer sheets for a few questions, built on the same choices: a kind without one gets the generic widgets. */
import { html } from './html.js';
import { counted, fraction, initial, labelOf } from './choice.js';
import { leaderOf, nameOf, phaseName, specialOf, words } from './facts.js';
import { Badge } from './glyphs.js';
import { Button, Stepper } from './ui.js';
import { Field, Fields, Needs, Variant } from './widgets/compound.js';

/** How strong a plan is as drafted, in steps of the dial, `per` of which make one: the dial, the leader, whoever joins it. */
export function planTotal(value, per = 1) {
  const leader = value?.leader ? leaderOf(value.leader) : null;
  const strength = leader ? leader.strength : 0;
  const joined = Object.values(value || {}).filter((piece) => typeof piece === 'string' && specialOf(piece));
  const added = joined.reduce((sum, piece) => sum + specialOf(piece).strength, 0);
  const dial = value?.dial || 0;
  return { dial, strength, joined, sum: dial + (strength + added) * per, leader: value?.leader || null };
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

/** One thing that binds a plan: in words, and the rule that says so. */
const Bound = ({ mine, text, what, after = '', rule, testid }) => html`<li class=${mine ? 'binds-me' : ''} data-testid=${testid}>${text} <strong>${what}</strong>${after} <span class="rule">${rule}</span></li>`;

/** A shown element in words: a dial counts steps, and may come with its spice. */
function shownText(element, value, per) {
  if (element !== 'dial') return nameOf(value);
  const [dial, spice] = String(value).split('/');
  return `${fraction(Number(dial), per)}${spice === undefined ? '' : ` with ${spice} spice`}`;
}

/** What the Voice demands. */
function Voice({ voice, me }) {
  const [target, command, what] = voice;
  const verb = command === 'forbid' ? 'must not play' : 'must play';
  return html`<${Bound} mine=${target === me} rule="BG-12" testid="bound-voice" text=${`The Voice: ${whom(target, me)} ${verb}`}
    what=${nameOf(what)} after=", as far as it can be done" />`;
}

/** An element that Prescience showed, or a whole plan; `rows` are fields of a plan with their values. */
function Shown({ target, seer, rows, me, per, rule, testid }) {
  const what = rows.map(([name, value]) => `${words(name).toLowerCase()} ${shownText(name, value, per)}`).join(', ');
  return html`<${Bound} mine=${target === me} rule=${rule} testid=${testid} text=${`${whom(target, me)} showed ${nameOf(seer)}`}
    what=${what} after=" and must use it" />`;
}

const whom = (faction, me) => (faction === me ? 'You' : nameOf(faction));

/** The Voice's demand, and what Prescience showed this seat or made it show: as what binds, with the rule. */
function Known({ view, per }) {
  const marks = Object.entries(view.marks).filter(([, value]) => value);
  const shown = marks.filter(([name]) => name.startsWith('battle.shown.'));
  const seen = marks.filter(([name]) => name.startsWith('battle.seen.'));
  const voice = view.marks['battle.voice'];
  if (!shown.length && !seen.length && !voice) return '';
  return html`<section class="known" aria-label="What binds the plans"><h3>What binds the plans</h3><ul>
    ${voice ? html`<${Voice} voice=${voice} me=${view.seat} />` : ''}
    ${shown.map(([name, [seer, value]]) => html`<${Shown} key=${name} target=${name.split('.')[2]} seer=${seer} me=${view.seat} per=${per}
      rows=${[[name.split('.')[3], value]]} rule="ATR-09" testid=${`bound-${name.split('.')[3]}`} />`)}
    ${seen.map(([name, [seer, ...rows]]) => html`<${Shown} key=${name} target=${name.split('.')[2]} seer=${seer} me=${view.seat} per=${per}
      rows=${rows.map((row) => row.split('='))} rule="ATR-32" testid="bound-plan" />`)}
  </ul></section>`;
}

function BattleForm({ offer, value, onChange, view }) {
  const { fields } = offer.choice;
  const per = fields.dial.per || 1;
  const total = planTotal(value, per);
  const set = (name) => (changed) => onChange({ ...value, [name]: changed });
  const field = (name) => html`<${Field} key=${name} name=${name} shape=${fields[name]} path="" label=${labelOf(offer.choice, name)}
    value=${value?.[name]} onChange=${set(name)} />`;
  const further = Object.keys(fields).filter((name) => !['leader', 'dial', 'weapon', 'defense'].includes(name));
  return html`<div class="battle">
    <${Sides} offer=${offer} me=${view.seat} />
    <${Known} view=${view} per=${per} />
    <p class="total" role="status" data-testid="battle-total">
      <span class="total-sum">${fraction(total.sum, per)}</span>
      <span class="total-parts">dial ${fraction(total.dial, per)}${total.strength ? ` + ${nameOf(total.leader)} ${total.strength}` : ''}${total.joined.map((piece) => ` + ${nameOf(piece)} ${specialOf(piece).strength}`)}
        <span class="muted"> if your leader lives</span></span></p>
    ${['dial', ...further, 'leader', 'weapon', 'defense'].filter((name) => fields[name]).map(field)}
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
