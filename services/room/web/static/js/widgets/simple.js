/** Widgets for the shapes that hold one plain thing: one option, several options, a number, a text. */
import { html, useState } from '../html.js';
import { Badge } from '../glyphs.js';
import { cardOf, isFaction, leaderOf } from '../facts.js';
import { Choice, Stepper } from '../ui.js';

const LONG = 9;

/** What helps to choose an option: a card's text, a leader's strength where its label does not tell it. */
function detailOf({ value, label }) {
  if (typeof value !== 'string') return '';
  const leader = leaderOf(value);
  if (leader) return label.includes(String(leader.strength)) ? '' : `Strength ${leader.strength}`;
  return cardOf(value)?.effect || '';
}

const badgeOf = (value) => {
  if (typeof value !== 'string') return '';
  if (isFaction(value)) return html`<${Badge} faction=${value} letters=${false} />`;
  const leader = leaderOf(value);
  return leader ? html`<${Badge} faction=${leader.faction} letters=${false} />` : '';
};

/** A list of options with a search where it is long. `isChosen` and `onPick` get the option's value. */
function Options({ options, isChosen, onPick, many, label, path }) {
  const [sought, setSought] = useState('');
  const shown = options.filter((option) => option.label.toLowerCase().includes(sought.toLowerCase()));
  return html`<div class="options" role="group" aria-label=${label}>
    ${options.length > LONG ? html`<input type="search" class="search" placeholder="Search" aria-label=${`Search ${label}`}
      value=${sought} onInput=${(event) => setSought(event.target.value)} />` : ''}
    ${shown.map((option) => html`<${Choice} key=${String(option.value)} label=${option.label} many=${many}
      detail=${detailOf(option)} badge=${badgeOf(option.value)} chosen=${isChosen(option.value)}
      off=${option.off} rule=${option.rule} testid=${`option-${path}-${option.value}`}
      onPress=${() => onPick(option.value)} />`)}
    ${shown.length ? '' : html`<p class="muted">Nothing of that name.</p>`}
  </div>`;
}

export const OneOf = ({ shape, value, onChange, label, path }) => html`<${Options} options=${shape.options} label=${label}
  path=${path} isChosen=${(option) => option === value} onPick=${onChange} />`;

export function ManyOf({ shape, value, onChange, label, path }) {
  const chosen = value || [];
  const most = Math.min(shape.most ?? 99, shape.options.length);
  const least = shape.least ?? 0;
  const toggle = (item) => onChange(chosen.includes(item) ? chosen.filter((other) => other !== item) : [...chosen, item]);
  const options = shape.options.map((option) => (chosen.length >= most && !chosen.includes(option.value) && !option.off
    ? { ...option, off: `You have chosen ${most}, the most allowed.` } : option));
  return html`<div>
    <p class="tally">${chosen.length} chosen; ${least === most ? `choose ${most}` : `from ${least} to ${most}`}</p>
    <${Options} options=${options} label=${label} path=${path} many isChosen=${(item) => chosen.includes(item)} onPick=${toggle} />
  </div>`;
}

export const NumberOf = ({ shape, value, onChange, label, path }) => html`<${Stepper} value=${value} low=${shape.low}
  high=${shape.high} unit=${shape.unit} per=${shape.per} label=${label} onChange=${onChange} testid=${`number-${path}`} />`;

export function TextOf({ shape, value, onChange, label, path }) {
  const most = shape.most ?? 280;
  return html`<label class="text-field"><span class="sr">${label}</span>
    <textarea rows="2" maxlength=${most} placeholder=${shape.hint || ''} data-testid=${`text-${path}`} value=${value || ''}
      onInput=${(event) => onChange(event.target.value.replace(/\s*\n\s*/g, ' '))}></textarea>
    <span class="bounds">${(value || '').length} of ${most}</span></label>`;
}
