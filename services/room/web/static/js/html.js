/** One place where the view library comes in: `html` templates, hooks and `render`. */
import htm from '../vendor/htm.js';
import { h, render, createContext, Fragment } from '../vendor/preact.js';

export {
  useCallback, useContext, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState,
} from '../vendor/preact-hooks.js';
export { render, createContext, Fragment };
export const html = htm.bind(h);

/**
 * Class names from what is true.
 * @param {...(string|false|null|undefined)} names
 */
export const cls = (...names) => names.filter(Boolean).join(' ');
