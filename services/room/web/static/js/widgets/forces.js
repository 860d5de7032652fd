/** Widgets for forces and other things that are counted by place: amounts, and a transfer to a place. */
import { html, useContext, useEffect, useMemo, useState } from '../html.js';
import { counted, forcesIn, groupOf, mostTo, pricesTo } from '../choice.js';
import { forcesText, kindOfForce, nameOf, sectorOf, total } from '../facts.js';
import { MapPick } from '../mapping.js';
import { Choice, Stepper } from '../ui.js';

export function Amounts({ shape, value, onChange, label, path }) {
  const held = value || {};
  const sum = total(held);
  const most = Math.min(shape.most, total(shape.keys));
  const set = (key, number) => {
    const { [key]: _, ...rest } = held;
    onChange(number ? { ...rest, [key]: number } : rest);
  };
  const span = shape.least === shape.most ? `${shape.most}` : `${shape.least} to ${most}`;
  return html`<div class="amounts" role="group" aria-label=${label}>
    <p class="tally ${sum < shape.least || sum > shape.most ? 'short' : ''}" role="status">
      ${counted(sum, shape.unit ?? 'forces')} of ${span}</p>
    ${Object.entries(shape.keys).map(([key, limit]) => {
      const text = (shape.labels || {})[key] || nameOf(key);
      return html`<div class="amount" key=${key}><span class="amount-label">${text}${limit < shape.most ? html` <span class="muted">(${limit} at most)</span>` : ''}</span>
        <${Stepper} small value=${held[key] || 0} low=${0} high=${Math.min(limit, (held[key] || 0) + Math.max(0, shape.most - sum))}
          label=${text} onChange=${(number) => set(key, number)} testid=${`amount-${path}-${key}`} /></div>`;
    })}
  </div>`;
}

/** Without zeros, so that a place that sends nothing is not named. */
function pruned(from) {
  const kept = {};
  for (const [place, kinds] of Object.entries(from)) {
    const some = Object.fromEntries(Object.entries(kinds).filter(([, number]) => number > 0));
    if (Object.keys(some).length) kept[place] = some;
  }
  return kept;
}

/** Why forces chosen so far cannot go to a target, or its price. */
function judged(shape, target, from, count) {
  if (target.off) return { off: target.off, rule: target.rule };
  if (!target.sources?.length) return { off: 'No forces can reach it.', rule: target.rule };
  const cut = Object.keys(from).find((place) => !target.sources.includes(place));
  if (cut) return { off: `Forces from ${nameOf(cut)} cannot reach it.`, rule: shape.rule };
  const most = mostTo(shape, target);
  if (count > most) return { off: `At most ${counted(most, 'forces')} can go there.`, rule: shape.rule };
  const price = pricesTo(shape, target)[count - 1];
  return { detail: price === undefined ? '' : `${price} spice` };
}

/** What a group is called: its territory, and the sectors where storm has cut it in two. */
function groupName(group, sources) {
  const name = group === 'reserves' ? 'Reserves' : nameOf(group.split('/')[0]);
  const sectors = sources.filter((source) => groupOf(source) === group).map((source) => sectorOf(source.place));
  return group.includes('/') ? `${name} (sector ${sectors.join(', ')})` : name;
}

function Sources({ shape, from, onFrom, path }) {
  const groups = [...new Set(shape.sources.map(groupOf))];
  const first = shape.sources.find((source) => source.place === Object.keys(from)[0]);
  const group = first ? groupOf(first) : groups.length === 1 ? groups[0] : '';
  const [open, setOpen] = useState(group);
  const current = group || open;
  const choose = (name) => { setOpen(name); onFrom({}); };
  const set = (place, kind, number) => onFrom(pruned({ ...from, [place]: { ...(from[place] || {}), [kind]: number } }));
  const barred = shape.barred || [];
  return html`<div class="sources">
    ${groups.length + barred.length > 1 ? html`<div class="options" role="group" aria-label="From where">
      ${groups.map((name) => html`<${Choice} key=${name} label=${groupName(name, shape.sources)} chosen=${name === current}
        detail=${shape.sources.filter((s) => groupOf(s) === name).map((s) => forcesText(s.kinds)).join(' and ')}
        testid=${`from-${name}`} onPress=${() => choose(name)} />`)}
      ${barred.map((source) => html`<${Choice} key=${source.place} label=${source.label || nameOf(source.place)}
        detail=${forcesText(source.kinds)} off=${source.off} rule=${source.rule} testid=${`from-${source.place}`} />`)}</div>` : ''}
    ${shape.sources.filter((source) => groupOf(source) === current).map((source) =>
      html`<${Source} key=${source.place} source=${source} held=${from[source.place] || {}} path=${path}
        onSet=${(kind, number) => set(source.place, kind, number)} />`)}
  </div>`;
}

const Source = ({ source, held, path, onSet }) => Object.entries(source.kinds).map(([kind, most]) => {
  const text = `${source.label || nameOf(source.place)}${kind === 'regular' ? '' : `, ${kindOfForce(kind)}`}`;
  return html`<div class="amount" key=${kind}><span class="amount-label">${text} <span class="muted">(${most} there)</span></span>
    <${Stepper} small value=${held[kind] || 0} low=${0} high=${most} label=${text} onChange=${(number) => onSet(kind, number)}
      testid=${`forces-${path}-${source.place}-${kind}`} /></div>`;
});

/** Forces from one territory to one place; the place can be tapped on the map, or sought in the list. */
export function Transfer({ shape, value, onChange, label, path }) {
  const pick = useContext(MapPick);
  const from = value?.from || {};
  const count = forcesIn(from);
  const [sought, setSought] = useState('');
  const judge = useMemo(() => new Map(shape.targets.flatMap((target) => {
    const found = judged(shape, target, from, count);
    return target.places.map((place) => [place, found]);
  })), [shape, JSON.stringify(value)]);
  const choose = (place) => onChange({ from, to: place });
  useEffect(() => {
    pick.offer({ label, judge, chosen: value?.to || null, choose, sources: shape.sources.map((source) => source.place) });
    // Only a change of what may be chosen is told: telling draws the table, and with it this widget, again.
  }, [shape, JSON.stringify(value)]);
  useEffect(() => () => pick.offer(null), []);
  const named = shape.targets.flatMap((target) => target.places.map((place) => ({ place, text: target.label || nameOf(place), rule: target.rule, ...judge.get(place) })));
  const shown = named.filter((target) => target.text.toLowerCase().includes(sought.toLowerCase()))
    .sort((a, b) => Number(!!a.off) - Number(!!b.off) || a.text.localeCompare(b.text));
  return html`<div class="transfer">
    <h4>Forces <span class="tally">${counted(count, 'forces')}</span></h4>
    <${Sources} shape=${shape} from=${from} path=${path} onFrom=${(chosen) => onChange({ from: chosen, to: value?.to ?? null })} />
    <h4>Where to</h4>
    <button type="button" class="button ghost map-button" onClick=${pick.show}>Choose on the map</button>
    <input type="search" class="search" placeholder="Search places" aria-label="Search places" value=${sought}
      data-testid="search-places" onInput=${(event) => setSought(event.target.value)} />
    <div class="options targets" role="group" aria-label="Where to">
      ${shown.map((target) => html`<${Choice} key=${target.place} label=${target.text} detail=${target.detail} off=${target.off}
        rule=${target.rule} chosen=${target.place === value?.to} testid=${`to-${target.place}`} onPress=${() => choose(target.place)} />`)}
      ${shown.length ? '' : html`<p class="muted">No place of that name.</p>`}
    </div>
  </div>`;
}
