/** Small controls that everything is made of. All of them work by finger and by keyboard. */
import { fraction } from './choice.js';
import { cls, html, useEffect, useLayoutEffect, useRef, useState } from './html.js';

let numbers = 0;

/** An id for this element that no other has. */
export function useId(prefix = 'id') {
  const ref = useRef('');
  if (!ref.current) {
    numbers += 1;
    ref.current = `${prefix}${numbers}`;
  }
  return ref.current;
}

/** The reason why something is off, with the rule that says so. */
export const Reason = ({ text, rule }) =>
  html`<span class="reason">${text}${rule ? html` <span class="rule">${rule}</span>` : ''}</span>`;

/**
 * A button; with `off` it stays in its place and in the tab order, says why, and does nothing.
 */
export function Button({ onPress, off, rule, kind, children, pressed, label, className, type = 'button', testid }) {
  const press = (event) => {
    if (off) event.preventDefault();
    else if (onPress) onPress(event);
  };
  return html`<button type=${type} class=${cls('button', kind, className, off && 'off')} data-testid=${testid}
      aria-disabled=${off ? 'true' : undefined} aria-pressed=${pressed === undefined ? undefined : String(!!pressed)}
      aria-label=${label} onClick=${press}>
    <span class="button-text">${children}</span>
    ${off && typeof off === 'string' ? html`<${Reason} text=${off} rule=${rule} />` : ''}
  </button>`;
}

/** One row of a list of choices: a mark, a text, something at its end, and the reason when it is off. */
export function Choice({ label, detail, badge, chosen, off, rule, onPress, many, testid }) {
  return html`<button type="button" class=${cls('choice', chosen && 'chosen', off && 'off')} data-testid=${testid}
      aria-pressed=${String(!!chosen)} aria-disabled=${off ? 'true' : undefined} onClick=${() => !off && onPress()}>
    <span class=${cls('mark', many && 'many')} aria-hidden="true"></span>
    ${badge || ''}
    <span class="choice-text"><span class="choice-label">${label}</span>
      ${detail ? html`<span class="choice-detail">${detail}</span>` : ''}
      ${off ? html`<${Reason} text=${off} rule=${rule} />` : ''}</span>
  </button>`;
}

/**
 * A whole number with big buttons; the number itself can be typed. `small` leaves out the slider. Where it counts parts,
 * `per` of which make one, people see and type wholes and parts: 3.5.
 */
export function Stepper({ value, low, high, unit, label, onChange, small, testid, per = 1 }) {
  const clamp = (number) => Math.max(low, Math.min(high, Number.isFinite(number) ? Math.round(number) : low));
  const set = (number) => onChange(clamp(number));
  const lone = low >= high;
  return html`<div class=${cls('stepper', small && 'small')}>
    <button type="button" class="step" aria-label=${`${label}: one less`} aria-disabled=${value <= low ? 'true' : undefined}
      onClick=${() => set(value - 1)}>−</button>
    <label class="step-value"><span class="sr">${label}</span>
      <input type="number" inputmode=${per > 1 ? 'decimal' : 'numeric'} min=${low / per} max=${high / per} step=${1 / per} value=${value / per}
        data-testid=${testid} onChange=${(event) => set(Number(event.target.value) * per)} onFocus=${(event) => event.target.select()} />
      ${unit ? html`<span class="unit">${unit}</span>` : ''}</label>
    <button type="button" class="step" aria-label=${`${label}: one more`} aria-disabled=${value >= high ? 'true' : undefined}
      onClick=${() => set(value + 1)}>+</button>
    ${small || lone || high - low < 4 ? '' : html`<input class="slider" type="range" min=${low} max=${high} value=${value}
      aria-label=${label} onInput=${(event) => set(Number(event.target.value))} />`}
    ${small ? '' : html`<span class="bounds">${fraction(low, per)} to ${fraction(high, per)}</span>`}
  </div>`;
}

/** A sheet over the page: from below on a phone, at the side on a desktop. Escape and the cross close it. */
export function Sheet({ title, onClose, children, className, testid }) {
  const ref = useRef(null);
  const heading = useId('sheet');
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    const dialog = ref.current;
    if (!dialog.open) dialog.showModal();
    return () => {
      // While it is open, nothing behind it takes the focus.
      dialog.close();
      if (before?.isConnected) before.focus?.();
    };
  }, []);
  const outside = (event) => event.target === ref.current && onClose();
  return html`<dialog class=${cls('sheet', className)} ref=${ref} aria-labelledby=${heading} data-testid=${testid}
      onCancel=${(event) => { event.preventDefault(); onClose(); }} onClick=${outside}>
    <div class="sheet-in">
      <header class="sheet-head"><h2 id=${heading}>${title}</h2>
        <button type="button" class="close" aria-label="Close" onClick=${onClose}>✕</button></header>
      <div class="sheet-body">${children}</div>
    </div>
  </dialog>`;
}

/** A row of tabs and the chosen one's panel. `tabs` are [id, label, badge]. */
export function Tabs({ tabs, chosen, onChoose, children, label }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = tabs.findIndex(([id]) => id === chosen);
    const [id] = tabs[(index + step + tabs.length) % tabs.length];
    onChoose(id);
    event.currentTarget.querySelector(`[data-tab="${id}"]`)?.focus();
  };
  return html`<div class="tabs">
    <div class="tab-row" role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map(([id, text, badge]) => html`<button type="button" role="tab" key=${id} data-tab=${id} id=${`tab-${id}`}
        aria-selected=${String(id === chosen)} aria-controls="tab-panel" tabindex=${id === chosen ? 0 : -1}
        onClick=${() => onChoose(id)}>${text}${badge ? html`<span class="count">${badge}</span>` : ''}</button>`)}
    </div>
    <div class="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${chosen}`} tabindex="0">${children}</div>
  </div>`;
}

/** A text that appears for screen readers when it changes. */
export function Live({ text, assertive }) {
  return html`<p class="sr" role=${assertive ? 'alert' : 'status'} aria-live=${assertive ? 'assertive' : 'polite'}>${text}</p>`;
}

/** Whether a media query holds now; the component is drawn again when that changes. */
export function useMedia(query) {
  const [on, setOn] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const changed = () => setOn(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, [query]);
  return on;
}
