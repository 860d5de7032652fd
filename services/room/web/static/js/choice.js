/**
 * Choices without any drawing: whether a value is a legal answer to a shape, a value to begin with, and the value
 * in words. The same laws as the server's `shapes`, so that a form can say at once what the server would refuse.
 */
import { nameOf, territoryOf } from './facts.js';

/** @typedef {import('./types.js').Shape} Shape */
/** @typedef {import('./types.js').Problem} Problem */

/** @param {string} path @param {string} text @param {string} [rule] @returns {Problem} */
const bad = (path, text, rule = '') => ({ path, text, rule });

/** @param {Problem} found @param {string} key @returns {Problem} */
const under = (found, key) => ({ ...found, path: found.path ? `${key}.${found.path}` : key });

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
const inside = (value, low, high) => Number.isInteger(value) && low <= value && value <= high;

/** What each shape refuses; null when the value is legal. */
const CHECKS = {
  one_of(shape, value) {
    const option = shape.options.find((item) => item.value === value);
    if (!option) return bad('', 'Choose one.');
    return option.off ? bad('', option.off, option.rule) : null;
  },

  number(shape, value) {
    return inside(value, shape.low, shape.high) ? null : bad('', `Choose from ${fraction(shape.low, shape.per)} to ${fraction(shape.high, shape.per)}.`, shape.rule);
  },

  many_of(shape, value) {
    if (!Array.isArray(value)) return bad('', 'Choose some.');
    const least = shape.least ?? 0;
    const most = Math.min(shape.most ?? 99, shape.options.length);
    if (!inside(value.length, least, most)) return bad('', least === most ? `Choose ${least}.` : `Choose from ${least} to ${most}.`);
    const open = shape.options.filter((option) => !option.off).map((option) => option.value);
    const wrong = value.findIndex((item, index) => !open.includes(item) || value.indexOf(item) !== index);
    return wrong < 0 ? null : bad(String(wrong), 'That cannot be chosen here.');
  },

  amounts(shape, value) {
    if (!isObject(value)) return bad('', 'Choose numbers.');
    for (const [key, number] of Object.entries(value)) {
      if (!(key in shape.keys)) return bad(key, 'is not one of the choices');
      if (!inside(number, 0, shape.keys[key])) return bad(key, `Choose from 0 to ${shape.keys[key]}.`, shape.rule);
    }
    if (inside(sum(Object.values(value)), shape.least, shape.most)) return null;
    const span = shape.least === shape.most ? shape.least : `${shape.least} to ${shape.most}`;
    return bad('', `Must add up to ${span}.`, shape.rule);
  },

  transfer(shape, value) {
    if (!isObject(value) || !isObject(value.from)) return bad('from', 'Choose forces.');
    if (!sum(Object.values(value.from).map((kinds) => sum(Object.values(kinds))))) return bad('from', 'Choose at least one force.');
    const target = shape.targets.find((item) => item.places.includes(value.to));
    if (!target) return bad('to', 'Choose where to.');
    if (target.off) return bad('to', target.off, target.rule);
    return sourceProblem(shape, value.from, target, target.label || nameOf(value.to));
  },

  text(shape, value) {
    if (typeof value !== 'string' || !value.trim()) return bad('', 'Write something.');
    const most = shape.most ?? 280;
    return value.length > most || /[\u0000-\u001f\u007f-\u00a0]/.test(value) ? bad('', `At most ${most} characters, on one line.`) : null;
  },

  fields(shape, value) {
    if (!isObject(value)) return bad('', 'Choose.');
    for (const [key, inner] of Object.entries(shape.fields)) {
      const found = key in value ? problem(inner, value[key]) : bad('', 'Choose.');
      if (found) return under(found, key);
    }
    const broken = (shape.needs || []).find((need) => !holds(need, value));
    return broken ? bad('', broken.text, broken.rule) : null;
  },

  variant(shape, value) {
    const name = isObject(value) ? value.do : undefined;
    if (typeof name !== 'string') return bad('do', 'Choose what to do.');
    const off = (shape.off || {})[name];
    if (off) return bad('do', off.off || '', off.rule);
    if (!(name in shape.variants)) return bad('do', 'Choose what to do.');
    const { do: _, ...rest } = value;
    return problem(shape.variants[name], rest);
  },
};

/** The tags of all shapes that can be checked. */
export const CHECKED = Object.keys(CHECKS);

/**
 * Why a value is not a legal answer; null if it is one.
 * @param {Shape} shape @param {any} value @returns {Problem|null}
 */
export const problem = (shape, value) => CHECKS[shape.shape](shape, value);

/** The name of the group with which a source's forces may set out. @param {{place: string, together?: string}} source */
export const groupOf = (source) => source.together || territoryOf(source.place);

function sourceProblem(shape, chosen, target, label) {
  const known = Object.fromEntries(shape.sources.map((source) => [source.place, source]));
  let total = 0;
  for (const [place, kinds] of Object.entries(chosen)) {
    const barred = (shape.barred || []).find((source) => source.place === place);
    if (barred) return bad(`from.${place}`, barred.off, barred.rule);
    if (!(place in known)) return bad(`from.${place}`, 'has no forces that may set out');
    if (!target.sources.includes(place)) return bad(`from.${place}`, `Forces from ${nameOf(place)} cannot reach ${label}.`, shape.rule);
    for (const [kind, number] of Object.entries(kinds)) {
      const most = known[place].kinds[kind] || 0;
      if (!inside(number, 0, most)) return bad(`from.${place}.${kind}`, `Choose from 0 to ${most}.`);
      total += number;
    }
  }
  if (new Set(Object.keys(chosen).map((place) => groupOf(known[place]))).size > 1) return bad('from', 'Forces must set out together, from one territory.', 'MOVE-01');
  const most = mostTo(shape, target);
  return inside(total, 1, most) ? null : bad('from', `From 1 to ${most} forces can go to ${label}.`, shape.rule);
}

/** @param {any} shape @param {any} target the prices of 1, 2, 3... forces to a target of a transfer, as far as they can be paid */
export const pricesTo = (shape, target) => target.tariff ? shape.tariffs[target.tariff].slice(0, target.most ?? 99) : [];

/** @param {any} shape @param {any} target how many forces can go to a target of a transfer, and be paid */
export const mostTo = (shape, target) => target.tariff ? pricesTo(shape, target).length : target.most ?? 99;

/** Whether a condition holds of an answer. */
const met = (condition, value) => condition.values.includes(value[condition.field] ?? null);

/** @param {any} need @param {any} value whether an answer keeps to a need that ties its fields */
export function holds(need, value) {
  switch (need.need) {
    case 'if_then': return !met(need.cond, value) || met(need.then, value);
    case 'any_of': return need.conditions.some((condition) => met(condition, value));
    case 'distinct': {
      const held = need.fields.map((field) => value[field]).filter((item) => item !== null && item !== undefined);
      return new Set(held).size === held.length;
    }
    case 'limit': {
      const total = sum(need.plus.map((f) => value[f] || 0)) - sum((need.minus || []).map((f) => value[f] || 0));
      return total <= need.most && (need.least === undefined || need.least === null || total >= need.least);
    }
    case 'pairs': return need.spans.some(([one, low, high]) => value[need.first] === one && inside(value[need.second], low, high));
    default: return true;
  }
}

/** @param {number} number @param {number} [per] a number of parts, of which `per` make one, in words: 7 halves are 3½ */
export function fraction(number, per = 1) {
  const [whole, left] = [Math.floor(number / per), number % per];
  if (!left) return String(whole);
  return `${whole || ''}${2 * left === per ? '½' : `${left}/${per}`}`;
}

/**
 * A value to begin a form with: the default where it fits, else the only or the smallest choice, else nothing yet.
 * @param {Shape} shape @param {any} [given]
 */
export function initial(shape, given) {
  switch (shape.shape) {
    case 'one_of': {
      const open = shape.options.filter((option) => !option.off);
      if (open.some((option) => option.value === given)) return given;
      return open.length === 1 ? open[0].value : undefined;
    }
    case 'number': return inside(given, shape.low, shape.high) ? given : shape.low;
    case 'many_of': return Array.isArray(given) ? given : [];
    case 'amounts': return isObject(given) ? given : {};
    case 'transfer': return isObject(given) ? given : { from: soleSource(shape), to: solePlace(shape) };
    case 'text': return typeof given === 'string' ? given : '';
    case 'fields': {
      const known = isObject(given) ? given : {};
      return Object.fromEntries(Object.entries(shape.fields).map(([key, inner]) => [key, initial(inner, known[key])]));
    }
    case 'variant': {
      const names = Object.keys(shape.variants);
      const name = isObject(given) && names.includes(given.do) ? given.do : names.length === 1 ? names[0] : null;
      return name ? { do: name, ...initial(shape.variants[name], given) } : {};
    }
    default: return undefined;
  }
}

function solePlace(shape) {
  const places = shape.targets.flatMap((target) => target.places);
  return places.length === 1 ? places[0] : null;
}

function soleSource(shape) {
  if (shape.sources.length !== 1) return {};
  const [{ place, kinds }] = shape.sources;
  const names = Object.keys(kinds);
  return names.length === 1 ? { [place]: { [names[0]]: 1 } } : {};
}

const optionLabel = (shape, value) => shape.options.find((item) => item.value === value)?.label ?? (value === null ? 'none' : nameOf(value));

/** @param {number} number @param {string} unit */
export const counted = (number, unit) => `${number}${unit ? ` ${String(number) === '1' ? unit.replace(/s$/, '') : unit}` : ''}`;

/** @param {any} from @returns {number} how many forces a transfer holds */
export const forcesIn = (from) => sum(Object.values(from || {}).map((kinds) => sum(Object.values(kinds))));

/** "Turn: 6" needs no unit after it. */
const sameWord = (label, shape) => shape.shape === 'number' && label.toLowerCase() === (shape.unit || '');

const SAYS = {
  one_of: optionLabel,
  number: (shape, value) => counted(shape.per > 1 ? fraction(value, shape.per) : value, shape.unit || ''),
  many_of: (shape, value) => (value || []).map((item) => optionLabel(shape, item)).join(', ') || 'none',
  amounts: (shape, value) => Object.entries(value || {}).filter(([, n]) => n > 0)
    .map(([key, n]) => `${n} ${(shape.labels || {})[key] || nameOf(key)}`).join(', ') || 'none',
  transfer(shape, value) {
    const count = forcesIn(value?.from);
    const from = Object.keys(value?.from || {}).map(nameOf).join(', ');
    return `${counted(count, 'forces')}${from ? ` from ${from}` : ''} to ${value?.to ? nameOf(value.to) : '…'}`;
  },
  text: (_, value) => `“${value}”`,
  fields: (shape, value) => inOrder(shape.fields).filter(([key]) => value?.[key] !== undefined)
    .map(([key, inner]) => `${labelOf(shape, key)}: ${sameWord(labelOf(shape, key), inner) ? value[key] : describe(inner, value[key])}`).join(' · '),
  variant(shape, value) {
    if (!value?.do) return 'nothing chosen yet';
    const name = (shape.labels || {})[value.do] || nameOf(value.do);
    const inner = shape.variants[value.do];
    const rest = inner ? describe(inner, value) : '';
    return rest ? `${name} — ${rest}` : name;
  },
};

/** Fields come in the order of their names; people expect what matters most first. */
const FIRST = ['leader', 'dial', 'weapon', 'defense', 'forces', 'group', 'faction', 'amount', 'turn'];

/**
 * Named things in the order in which they are shown.
 * @template T @param {Record<string, T>} fields @returns {[string, T][]}
 */
export function inOrder(fields) {
  const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(fields).sort(([a], [b]) => rank(a) - rank(b));
}

/**
 * A value in words.
 * @param {Shape} shape @param {any} value @returns {string}
 */
export const describe = (shape, value) => SAYS[shape.shape](shape, value);

/** @param {Shape} shape @param {string} key the words in front of a field, or of a thing to do */
export const labelOf = (shape, key) => (shape.labels || {})[key] || nameOf(key);
