/** Looking closer at a drawing: buttons, pinch, ctrl+wheel; dragging moves it once it is enlarged. */
import { useRef, useState } from '../html.js';

const MOST = 5;
const TAP_SLACK = 8;

/** @typedef {{scale: number, x: number, y: number}} Look how much is enlarged, and what lies in the middle */

/** Keep what is looked at inside of the drawing. @param {Look} look @param {number} half @returns {Look} */
function held({ scale, x, y }, half) {
  const size = Math.max(1, Math.min(MOST, scale));
  const room = half - half / size;
  return { scale: size, x: Math.max(-room, Math.min(room, x)), y: Math.max(-room, Math.min(room, y)) };
}

/** Enlarge around a point of the screen, which stays where it is. @param {DOMRect} box */
function enlarged(old, factor, px, py, box, half) {
  const size = Math.max(1, Math.min(MOST, old.scale * factor));
  const dx = px - box.left - box.width / 2;
  const dy = py - box.top - box.height / 2;
  const gain = ((2 * half) / box.width) * (1 / old.scale - 1 / size);
  return held({ scale: size, x: old.x + dx * gain, y: old.y + dy * gain }, half);
}

/** Fingers and mouse: one moves, two pinch, and neither ends in a click. */
function useHands(ref, look, setLook, half) {
  const hands = useRef({ points: new Map(), moved: false }).current;
  const drag = (before, now) => {
    if (!hands.moved && Math.hypot(now[0] - before[0], now[1] - before[1]) < TAP_SLACK) return false;
    hands.moved = true;
    const by = (2 * half) / look.scale / (ref.current?.clientWidth || 1);
    setLook((old) => held({ ...old, x: old.x - (now[0] - before[0]) * by, y: old.y - (now[1] - before[1]) * by }, half));
    return true;
  };
  const pinch = (before, now, other) => {
    const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
    const is = Math.hypot(now[0] - other[0], now[1] - other[1]);
    hands.moved = true;
    const box = ref.current.getBoundingClientRect();
    if (was > 0) setLook((old) => enlarged(old, is / was, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, box, half));
    return true;
  };
  const move = (event) => {
    const before = hands.points.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const other = [...hands.points.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (other ? pinch(before, now, other) : look.scale > 1 && drag(before, now)) hands.points.set(event.pointerId, now);
  };
  const up = (event) => { hands.points.delete(event.pointerId); };
  return {
    onPointerDown: (event) => {
      hands.points.set(event.pointerId, [event.clientX, event.clientY]);
      if (hands.points.size === 1) hands.moved = false;
    },
    onPointerMove: move, onPointerUp: up, onPointerCancel: up, onPointerLeave: up,
    onClickCapture: (event) => {
      if (!hands.moved) return;
      hands.moved = false;
      event.stopPropagation();
    },
  };
}

/** @param {number} half half of the drawing's width */
export function usePanZoom(half) {
  const ref = useRef(null);
  const [look, setLook] = useState({ scale: 1, x: 0, y: 0 });
  const handlers = useHands(ref, look, setLook, half);
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = ref.current.getBoundingClientRect();
    setLook((old) => enlarged(old, Math.exp(-event.deltaY / 200), event.clientX, event.clientY, box, half));
  };
  const size = (2 * half) / look.scale;
  return {
    ref,
    scale: look.scale,
    box: `${look.x - size / 2} ${look.y - size / 2} ${size} ${size}`,
    zoom: (factor) => setLook((old) => held({ ...old, scale: old.scale * factor }, half)),
    fit: () => setLook({ scale: 1, x: 0, y: 0 }),
    handlers: { ...handlers, onWheel: wheel },
  };
}
