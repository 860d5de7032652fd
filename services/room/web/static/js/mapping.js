/** How a decision asks the map for a place: what may be tapped, why not, and what happens then. */
import { createContext } from './html.js';

/**
 * @typedef {{label: string, judge: Map<string, {off?: string, rule?: string, detail?: string}>, chosen: string|null,
 *   choose: (place: string) => void, sources: string[]}} Picking
 */
export const MapPick = createContext({
  /** @param {Picking|null} picking */
  offer(picking) { void picking; },
  show() {},
});
