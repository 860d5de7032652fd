/**
 * The shapes of what the server sends (see the API's documentation); types only, nothing runs here.
 *
 * @typedef {{value: string|number|null, label: string, off?: string, rule?: string}} Option
 * @typedef {{shape: string, [key: string]: any}} Shape
 * @typedef {{path: string, text: string, rule: string}} Problem
 * @typedef {{id: string, seat: string, kind: string, why: string, choice: Shape, default: any,
 *   about?: Record<string, any>, rules?: string[], clock?: string, window?: boolean, final?: boolean, committed?: any}} Offer
 * @typedef {{id: string, seat: string, kind: string, why: string, rules?: string[]}} Standing a standing offer in short
 * @typedef {{kind: string, seats: string[]}} Waiting
 * @typedef {{forces?: Record<string, Record<string, number>>, spice?: number}} Place
 * @typedef {{circle: number, reserves?: Record<string, number>, tanks?: Record<string, number>,
 *   ally?: string|null, bribes?: number, cards?: number|null}} FactionView
 * @typedef {{seat: string|null, settings: any, turn: number, phase: string, storm: number, order: string[],
 *   places: Record<string, Place>, factions: Record<string, FactionView>, zones: Record<string, string[]>,
 *   counts: Record<string, number>, marks: Record<string, any>, memory: string[],
 *   spice: Record<string, number>, offers: Offer[], standing: Standing[], waiting: Waiting[],
 *   result: {winners: string[], way: string, turn: number}|null}} SeatView
 * @typedef {{seat: number, kind: 'open'|'person'|'bot', name: string, faction: string|null, ready: boolean,
 *   connected: boolean, policy?: string}} SeatState
 * @typedef {{code: string, name: string, state: 'lobby'|'running'|'finished', settings: any, seats: SeatState[],
 *   you: {host: boolean, seat?: number, scope?: string, clocks?: Record<string, number>}, result?: any}} RoomState
 * @typedef {{event: string, text?: string, [key: string]: any}} GameEvent
 * @typedef {{turn: number, phase: string, text: string, mine: boolean, seq: number, by: string}} LogLine
 */
export {};
