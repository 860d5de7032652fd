/** Widgets for choices made of others: fields made together, and one of several things to do. */
import { html } from '../html.js';
import { initial, inOrder, labelOf, problem } from '../choice.js';
import { Choice, Reason } from '../ui.js';
import { WIDGETS } from './registry.js';

/** The widget of a shape. */
export function Widget(props) {
  const Found = WIDGETS[props.shape.shape];
  return html`<${Found} ...${props} />`;
}

/** One titled field; a field that can only be answered in one way is told, not asked. */
export function Field({ name, shape, label, value, onChange, path }) {
  return html`<section class="field" aria-label=${label || name}>
    ${label ? html`<h3>${label}</h3>` : ''}
    <${Widget} shape=${shape} value=${value} onChange=${onChange} label=${label || name} path=${path ? `${path}.${name}` : name} />
  </section>`;
}

/** The first need that the value breaks, said where the fields are; nothing while a field is still open. */
export function Needs({ shape, value }) {
  if (!shape.needs?.length) return '';
  const found = problem(shape, value);
  const isNeed = found && !found.path && shape.needs.some((need) => need.text === found.text);
  return isNeed ? html`<p class="need" role="status"><${Reason} text=${found.text} rule=${found.rule} /></p>` : '';
}

export function Fields({ shape, value, onChange, path }) {
  const held = value || {};
  // A lone transfer brings its own headings.
  const alone = Object.keys(shape.fields).length === 1 && Object.values(shape.fields)[0].shape === 'transfer';
  return html`<div class="fields">
    ${inOrder(shape.fields).map(([name, inner]) => html`<${Field} key=${name} name=${name} shape=${inner} path=${path}
      label=${alone ? '' : labelOf(shape, name)} value=${held[name]} onChange=${(changed) => onChange({ ...held, [name]: changed })} />`)}
    <${Needs} shape=${shape} value=${held} />
  </div>`;
}

/** `skip` is a thing to do that has its own button elsewhere. */
export function Variant({ shape, value, onChange, label, path, skip }) {
  const chosen = value?.do;
  const inner = chosen ? shape.variants[chosen] : null;
  const choose = (name) => name !== chosen && onChange({ do: name, ...initial(shape.variants[name]) });
  const { do: _, ...rest } = value || {};
  return html`<div class="variant">
    <div class="options" role="group" aria-label=${label || 'What to do'}>
      ${Object.keys(shape.variants).filter((name) => name !== skip).map((name) => html`<${Choice} key=${name} label=${labelOf(shape, name)}
        chosen=${name === chosen} testid=${`do-${name}`} onPress=${() => choose(name)} />`)}
      ${Object.entries(shape.off || {}).map(([name, why]) => html`<${Choice} key=${name} testid=${`do-${name}`}
        label=${labelOf(shape, name)} off=${why.off} rule=${why.rule} onPress=${() => {}} />`)}
    </div>
    ${inner && Object.keys(inner.fields).length ? html`<${Fields} key=${chosen} shape=${inner} value=${rest} path=${path}
      onChange=${(changed) => onChange({ do: chosen, ...changed })} />` : ''}
  </div>`;
}
