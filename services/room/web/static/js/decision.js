/** The decision bar: what I am asked, why, what I may answer, what silence means; and what we wait for otherwise. */
import { cls, html, useEffect, useLayoutEffect, useReducer, useRef, useState } from './html.js';
import { describe, inOrder, labelOf, problem } from './choice.js';
import { nameOf, words } from './facts.js';
import { OwnPanel } from './panels/nexus.js';
import { inSentence, kindName, quickAnswers, REVIEWED, submitLabel } from './phrases.js';
import { firstDraft, idleAnswer, SPECIAL } from './special.js';
import { Button, Live, Reason } from './ui.js';
import { WhyOf } from './why.js';
import { Field, Needs, Variant } from './widgets/compound.js';

/** First drafts by offer: the same object at every drawing, so that nothing takes it for a change. */
const untouched = new WeakMap();

/** The answer as it is drafted now. */
export function draftOf(state, offer) {
  if (offer.id in state.drafts) return state.drafts[offer.id];
  if (!untouched.has(offer)) untouched.set(offer, firstDraft(offer));
  return untouched.get(offer);
}

/** Facts that the text of the question tells already, or that only programs need. */
const INNER = new Set(['power', 'way', 'full_price', 'off_planet']);

/** What facts are called whose names alone would say too little. */
const LABELS = { side: 'Called for', owner: 'Power of' };

/** Public facts for the form, in words. */
export function About({ about }) {
  const rows = Object.entries(about || {}).filter(([key, value]) => value && !key.includes(':') && !INNER.has(key));
  if (!rows.length) return '';
  const say = (value) => (Array.isArray(value) ? value.map(nameOf).join(', ') : typeof value === 'object'
    ? Object.entries(value).map(([key, number]) => `${nameOf(key)} ${number}`).join(', ')
    : value === true ? 'yes' : typeof value === 'string' ? nameOf(value) : String(value));
  return html`<dl class="about">${rows.map(([key, value]) => html`<div key=${key}><dt>${LABELS[key] || words(key)}</dt><dd>${say(value)}</dd></div>`)}</dl>`;
}

/** The form of any offer: its own special sheet where there is one, else the generic widgets. */
export function ChoiceForm({ offer, value, onChange, view }) {
  const Special = SPECIAL[offer.kind];
  if (Special && Special.fits(offer)) return html`<${Special.Form} offer=${offer} value=${value} onChange=${onChange} view=${view} />`;
  if (offer.choice.shape === 'variant') {
    const idle = Object.keys(offer.choice.variants).length > 1 ? idleAnswer(offer)?.do : undefined;
    return html`<${Variant} shape=${offer.choice} value=${value} onChange=${onChange} label=${offer.why} path="" skip=${idle} />`;
  }
  return html`<div class="fields">
    ${inOrder(offer.choice.fields).map(([name, shape]) => html`<${Field} key=${name} name=${name} shape=${shape} path=""
      label=${(offer.choice.labels || {})[name] || (name === 'choice' ? '' : labelOf(offer.choice, name))} value=${value?.[name]}
      onChange=${(changed) => onChange({ ...value, [name]: changed })} />`)}
    <${Needs} shape=${offer.choice} value=${value} />
  </div>`;
}

/** The end of a form: what is drafted, what silence means, and the button that says what it does. */
export function Submit({ offer, value, store, onSent }) {
  const { state } = store;
  const [reviewing, setReviewing] = useState(false);
  const found = problem(offer.choice, value);
  const sending = state.sending === offer.id;
  const refusal = state.refusal?.offer === offer.id ? state.refusal : null;
  const review = REVIEWED.has(offer.kind);
  const idle = idleAnswer(offer);
  useEffect(() => setReviewing(false), [JSON.stringify(value)]);
  const send = async () => {
    if (review && !reviewing) setReviewing(true);
    else if (await store.send(offer, value, describe(offer.choice, value) || submitLabel(offer, value))) onSent?.();
  };
  return html`<div class="submit">
    ${refusal ? html`<p class="refusal" role="alert"><${Reason} text=${refusal.text} rule=${refusal.rule} /></p>` : ''}
    <p class="draft"><strong>${reviewing ? 'Review' : 'Draft'}</strong> ${describe(offer.choice, value) || submitLabel(offer, value)}</p>
    <div class="submit-row">
      ${idle && value?.do !== idle.do ? html`<${Button} kind="plain" testid="idle" off=${sending ? 'Being sent…' : ''}
        onPress=${async () => await store.send(offer, idle, submitLabel(offer, idle)) && onSent?.()}>${submitLabel(offer, idle)}<//>` : ''}
      ${reviewing ? html`<${Button} kind="ghost" onPress=${() => setReviewing(false)}>Change it<//>` : ''}
      <${Button} kind="primary" testid="submit" off=${found ? found.text : sending ? 'Being sent…' : ''} rule=${found?.rule} onPress=${send}>
        ${sending ? 'Sending…' : review && !reviewing ? 'Review it' : submitLabel(offer, value)}<//>
    </div>
    ${offer.clock === '' ? '' : html`<${Silence} offer=${offer} store=${store} />`}
  </div>`;
}

/** What counts when no answer comes, and how long there is for one where the room has clocks. */
function Silence({ offer, store }) {
  const left = useCountdown(store, offer.id);
  const text = describe(offer.choice, offer.default) || submitLabel(offer, offer.default);
  const final = offer.final ? '. Whatever you answer counts at once.' : '';
  if (left === null) return html`<p class="silence">Silence means: ${text}${final}</p>`;
  return html`<p class="silence"><strong class="clock">${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}</strong> left, then: ${text}${final}
    <${Live} assertive text=${left <= 30 && left > 25 ? 'Less than 30 seconds left.' : ''} /></p>`;
}

/** Whole seconds left for an offer; null where it has no clock. */
function useCountdown(store, offer) {
  const known = store.state.room?.you?.clocks?.[offer];
  const [, tick] = useReducer((count) => count + 1, 0);
  const at = useRef({ known: undefined, end: 0 });
  if (known !== undefined && at.current.known !== known) at.current = { known, end: Date.now() + known * 1000 };
  useEffect(() => {
    if (known === undefined) return undefined;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [known === undefined]);
  return known === undefined ? null : Math.max(0, Math.round((at.current.end - Date.now()) / 1000));
}

/** One whole question. */
export function Question({ offer, store, onSent, headingRef, onFold, plain }) {
  const value = draftOf(store.state, offer);
  const committed = offer.committed !== undefined && offer.committed !== null;
  return html`<form class="question" aria-label=${kindName(offer.kind)} onSubmit=${(event) => event.preventDefault()} data-kind=${offer.kind} data-offer=${offer.id}>
    <div class="question-head" hidden=${!!plain}><h2 class="question-title" tabindex="-1" ref=${headingRef}>${kindName(offer.kind)}</h2>
      ${onFold ? html`<button type="button" class="fold" data-testid="fold" onClick=${onFold}><span class="sr">Fold the decision</span><span aria-hidden="true">▾</span></button>` : ''}</div>
    <p class="why">${offer.why} ${(offer.rules || []).map((rule) => html`<span class="rule" key=${rule}>${rule}</span> `)}</p>
    ${committed ? html`<p class="committed"><strong>Committed</strong> ${describe(offer.choice, offer.committed)}. You may change it until everybody has answered.</p>` : ''}
    <${About} about=${SPECIAL[offer.kind]?.about ? {} : offer.about} />
    <${WhyOf} kind=${offer.kind} />
    <${OwnPanel} view=${store.state.view} kind=${offer.kind} />
    <${ChoiceForm} offer=${offer} value=${value} view=${store.state.view} onChange=${(changed) => store.draft(offer.id, changed)} />
    <${Submit} offer=${offer} value=${value} store=${store} onSent=${onSent} />
  </form>`;
}

/** What everybody waits for, when it is not me. */
export function waitingText(view) {
  if (view.result) return `The game is over: ${view.result.winners.map(nameOf).join(' and ')} won in turn ${view.result.turn}.`;
  if (!view.waiting.length) return 'The table is being set.';
  return view.waiting.map(({ kind, seats }) => `Waiting for ${seats.map(nameOf).join(', ')}: ${inSentence(kindName(kind))}`).join('; ');
}

/** Buttons in the bar itself, where an answer takes one tap. */
function Quick({ offer, store }) {
  const answers = quickAnswers(offer);
  const sending = store.state.sending === offer.id;
  return html`<div class="quick">${answers.map(({ label, answer, primary }) => html`<${Button} key=${label} kind=${primary ? 'primary' : 'plain'}
    off=${sending} testid=${`quick-${answer.do}`} onPress=${() => store.send(offer, answer, label)}>${label}<//>`)}</div>`;
}

/** Several questions at once: which one is looked at. */
const Questions = ({ all, offer, onChoose }) => (all.length < 2 ? '' : html`<div class="question-tabs" role="group" aria-label="Questions">
  ${all.map((one, at) => html`<button type="button" key=${one.id} aria-pressed=${String(one === offer)} onClick=${() => onChoose(at)}>
    ${kindName(one.kind)}</button>`)}</div>`);

/** What the bar says: the question in short, or whom we wait for. */
function BarText({ store, offer, asked, sealed, picking, heading }) {
  const { view, done, refusal } = store.state;
  return html`<div class="bar-text" role="status">
    ${refusal ? html`<span class="refusal">${refusal.text}</span>` : ''}
    ${asked ? html`<strong ref=${heading} tabindex="-1">${kindName(offer.kind)}</strong>
        <span>${picking?.chosen ? `To ${nameOf(picking.chosen)}` : offer.why}</span>`
      : html`<strong>${sealed ? 'Committed' : view.result ? 'Game over' : 'Nothing to decide'}</strong>
        <span>${done && Date.now() - done.at < 4000 ? done.text : waitingText(view)}</span>`}
  </div>`;
}

/** The focus goes to a new question of mine once, and never away from what is being typed. */
function useFocusOnNew(id, onNew) {
  const heading = useRef(null);
  const seen = useRef('');
  useLayoutEffect(() => {
    if (!id || id === seen.current) return;
    seen.current = id;
    onNew();
    const typing = document.activeElement?.matches?.('input, textarea, dialog *');
    if (!typing) heading.current?.focus({ preventScroll: true });
  }, [id]);
  return heading;
}

const isSealed = (offer) => offer.window && offer.committed !== undefined && offer.committed !== null;

/** @param {{store: import('./store.js').Store, picking: any, wide: boolean, open: boolean, setOpen: (open: boolean) => void, onMore: () => void}} props */
export function DecisionBar({ store, picking, wide, open, setOpen, onMore }) {
  const { view } = store.state;
  const offers = view.offers.filter((one) => !isSealed(one));
  const all = [...offers, ...view.offers.filter(isSealed)];
  const [index, setIndex] = useState(0);
  const offer = all[Math.min(index, all.length - 1)];
  const heading = useFocusOnNew(offers[0]?.id, () => setIndex(0));
  const shown = wide || open;
  const asked = offers.includes(offer);
  const quick = asked && quickAnswers(offer).length > 0;
  const fold = () => setOpen(false);
  return html`<section class=${cls('decision', shown && offer && 'expanded', offers.length > 0 && 'mine')} aria-label="Your decision">
    ${offer ? html`<div class="decision-sheet" hidden=${!shown}>
      <${Questions} all=${all} offer=${offer} onChoose=${setIndex} />
      <${Question} key=${offer.id} offer=${offer} store=${store} headingRef=${shown ? heading : undefined} onFold=${wide ? null : fold} onSent=${fold} /></div>` : ''}
    <div class="bar" hidden=${open && !!offer && !wide}>
      <${BarText} store=${store} offer=${offer} asked=${asked} sealed=${all.length > offers.length} picking=${picking} heading=${shown ? undefined : heading} />
      <div class="bar-buttons">
        ${!wide && quick ? html`<${Quick} offer=${offer} store=${store} />` : ''}
        ${offer && !wide ? html`<${Button} kind=${quick ? 'ghost' : 'primary'} testid="open-decision" onPress=${() => setOpen(true)}
          label=${quick ? 'More about this decision' : undefined}>${quick ? '⋯' : asked ? 'Answer' : 'Change'}<//>` : ''}
        ${view.standing.length ? html`<${Button} kind="ghost" testid="more" onPress=${onMore} label=${`More: ${view.standing.length} things you may do at any time`}>More<//>` : ''}
      </div>
    </div>
  </section>`;
}
