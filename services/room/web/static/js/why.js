/** *Why?* on a number: a small control beside it, and the sheet of the lines that lead to it, each with its rule. */
import { createContext, html, useContext, useEffect, useState } from './html.js';
import { request } from './api.js';
import { fraction } from './choice.js';
import { Sheet } from './ui.js';

/** What opens the sheet; null where nothing can be explained: to who only watches, and after the end. */
export const Asking = createContext(null);

/** Each topic as people call it. */
export const TOPICS = {
  'hand limit': 'Hand limit', charity: 'CHOAM charity', revival: 'Revival', shipment: 'Price of shipments', strength: 'Strength of your forces',
  collection: 'Spice collection', victory: 'Victory progress',
};

/** Which numbers stand behind a question. */
const OF_KIND = {
  bid: 'hand limit', charity: 'charity', revival: 'revival', special_revival: 'revival', pay_revivals: 'revival', ship: 'shipment', battle: 'strength', battle_plan: 'strength',
  prescience_answer: 'strength', mentat_pause: 'victory',
};

/**
 * The control. `about` keeps to what is said of one thing, such as a territory; `word` where "Why?" alone would not do.
 * @param {{topic: string, about?: string, title?: string, word?: string}} props
 */
export function Why({ topic, about = '', title = about ? `${TOPICS[topic]}, ${about}` : TOPICS[topic], word }) {
  const ask = useContext(Asking);
  if (!ask) return '';
  return html`<button type="button" class="why-button" aria-haspopup="dialog" data-testid=${`why-${topic.replace(' ', '-')}`}
    onClick=${() => ask({ topic, about, title })}>${word || html`Why?<span class="sr"> ${title}</span>`}</button>`;
}

/** The control of a question that has a number behind it. */
export const WhyOf = ({ kind }) => (kind in OF_KIND ? html`<p class="why-of"><${Why} topic=${OF_KIND[kind]} word=${`Why? ${TOPICS[OF_KIND[kind]]}`} /></p>` : '');

/** All that can be asked, one control each. */
export const EveryWhy = () => (useContext(Asking) ? html`<section class="every-why" aria-label="Why your numbers are what they are"><h3>Why?</h3>
  <ul>${Object.keys(TOPICS).map((topic) => html`<li key=${topic}><${Why} topic=${topic} word=${TOPICS[topic]} /></li>`)}</ul></section>` : '');

/** What the rules say to a seat's numbers, asked again as the game goes on. */
function useReasons(store) {
  const [found, setFound] = useState({ why: null, rules: {}, error: '' });
  useEffect(() => {
    let wanted = true;
    request('GET', `/api/rooms/${store.code}/why`).then(
      ({ why, rules }) => wanted && setFound({ why, rules, error: '' }),
      (failure) => wanted && setFound((old) => ({ ...old, error: failure.message })),
    );
    return () => { wanted = false; };
  }, [store.state.seq]);
  return found;
}

const anchor = (rule) => `rule-${rule}`;

/** To the rule's own sentence, further down on the sheet. */
function toRule(event, rule) {
  event.preventDefault();
  const found = document.getElementById(anchor(rule));
  found?.scrollIntoView({ block: 'nearest' });
  found?.focus({ preventScroll: true });
}

const Rule = ({ rule, rules }) => (rule in rules
  ? html`<a class="rule" href=${`#${anchor(rule)}`} onClick=${(event) => toRule(event, rule)} aria-label=${`Rule ${rule}`}>${rule}</a>`
  : html`<span class="rule">${rule}</span>`);

/** Where the guide has the rule among its neighbours; those of modules have pages of their own. */
const InGuide = ({ rule }) => (rule.startsWith('NEXUS') ? html`<span class="rule">${rule}</span>`
  : html`<a class="rule" href=${`/rules?topic=rules#${rule}`} target="_blank" rel="noopener" aria-label=${`${rule} in the rules guide`}>${rule}</a>`);

function Number({ one, rules }) {
  const { per = 1 } = one;
  return html`<section class="why-number" aria-label=${one.about}><h3><span>${one.about}</span> <b>${fraction(one.value, per)}</b></h3>
    <ol>${one.lines.map((line, at) => html`<li key=${at}><span class="why-text">${line.text} <${Rule} rule=${line.rule} rules=${rules} /></span>
      <b>${fraction(line.value, per)}</b></li>`)}</ol></section>`;
}

/** @param {{store: import('./store.js').Store, asked: {topic: string, about: string, title: string}, onClose: () => void}} props */
export function WhySheet({ store, asked, onClose }) {
  const { why, rules, error } = useReasons(store);
  const shown = (why || []).filter((one) => one.topic === asked.topic && one.about.includes(asked.about));
  const named = new Set(shown.flatMap((one) => one.lines.map((line) => line.rule)));
  const told = Object.entries(rules).filter(([rule]) => named.has(rule));
  return html`<${Sheet} title=${asked.title} onClose=${onClose} className="why-sheet" testid="why-sheet">
    ${error ? html`<p class="refusal" role="alert">${error}</p>` : ''}
    <p class="muted" role="status">${why ? (shown.length ? 'Read from top to bottom: each line says what it makes the number.' : 'Nothing counts for you here now.')
      : error ? '' : 'One moment…'}</p>
    ${shown.map((one) => html`<${Number} key=${one.about} one=${one} rules=${rules} />`)}
    ${told.length ? html`<h3>The rules</h3><dl class="why-rules">${told.map(([rule, text]) => html`<div key=${rule} id=${anchor(rule)} tabindex="-1">
      <dt><${InGuide} rule=${rule} /></dt><dd>${text}</dd></div>`)}</dl>` : ''}
  <//>`;
}
