/** Looking closer at a drawing: buttons, pinch, double tap, ctrl+wheel; dragging moves it once it is enlarged. */
import { useRef, useState } from '../html.js';

const MOST = 5;
const TAP_SLACK = 8;

/** @param {number} half half of the drawing's width */
export function usePanZoom(half) {
  const ref = useRef(null);
  const [look, setLook] = useState({ scale: 1, x: 0, y: 0 });
  const hands = useRef({ points: new Map(), moved: false, lastTap: 0 });

  /** Keep the view inside of the drawing. */
  const held = ({ scale, x, y }) => {
    const size = Math.max(1, Math.min(MOST, scale));
    const room = half - half / size;
    return { scale: size, x: Math.max(-room, Math.min(room, x)), y: Math.max(-room, Math.min(room, y)) };
  };
  const unit = () => (2 * half) / look.scale / (ref.current?.clientWidth || 1);
  const zoomAt = (factor, px, py) => setLook((old) => {
    const box = ref.current.getBoundingClientRect();
    const before = (2 * half) / old.scale / box.width;
    const fx = old.x + (px - box.left - box.width / 2) * before;
    const fy = old.y + (py - box.top - box.height / 2) * before;
    const size = Math.max(1, Math.min(MOST, old.scale * factor));
    const after = (2 * half) / size / box.width;
    return held({ scale: size, x: fx - (px - box.left - box.width / 2) * after, y: fy - (py - box.top - box.height / 2) * after });
  });

  const down = (event) => {
    hands.current.points.set(event.pointerId, [event.clientX, event.clientY]);
    if (hands.current.points.size === 1) hands.current.moved = false;
  };
  const move = (event) => {
    const { points } = hands.current;
    const before = points.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    if (points.size === 2) {
      const other = [...points.entries()].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before[0] - other[0], before[1] - other[1]);
      const is = Math.hypot(now[0] - other[0], now[1] - other[1]);
      hands.current.moved = true;
      if (was > 0) zoomAt(is / was, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else if (look.scale > 1) {
      if (!hands.current.moved && Math.hypot(now[0] - before[0], now[1] - before[1]) < TAP_SLACK) return;
      hands.current.moved = true;
      const by = unit();
      setLook((old) => held({ ...old, x: old.x - (now[0] - before[0]) * by, y: old.y - (now[1] - before[1]) * by }));
    } else return;
    points.set(event.pointerId, now);
  };
  const up = (event) => { hands.current.points.delete(event.pointerId); };
  const wheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
  };
  // A drag or a pinch ends in a click that means no place.
  const clicked = (event) => {
    if (!hands.current.moved) return;
    hands.current.moved = false;
    event.stopPropagation();
  };

  const size = (2 * half) / look.scale;
  return {
    ref,
    scale: look.scale,
    box: `${look.x - size / 2} ${look.y - size / 2} ${size} ${size}`,
    zoom: (factor) => setLook((old) => held({ ...old, scale: old.scale * factor })),
    fit: () => setLook({ scale: 1, x: 0, y: 0 }),
    handlers: {
      onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: up, onPointerLeave: up,
      onWheel: wheel, onClickCapture: clicked,
    },
  };
}
