// Numbers with their units, short enough for an axis.

const UP = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
const BYTES = [[2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"]];

function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return String(Number(value.toPrecision(size >= 100 ? 3 : 2)));
}

function scaled(value, steps, plain) {
  for (const [factor, name] of steps) {
    if (Math.abs(value) >= factor) return `${digits(value / factor)}${name}`;
  }
  return `${digits(value)}${plain}`;
}

export function told(value, unit) {
  if (value === null || Number.isNaN(value)) return "none";
  switch (unit) {
    case "s": return seconds(value);
    case "bytes": return scaled(value, BYTES, " B");
    case "percentunit": return `${digits(value * 100)} %`;
    case "reqps": return `${scaled(value, UP, "")} req/s`;
    case "cps": return `${scaled(value, UP, "")} /s`;
    default: return scaled(value, UP, "");
  }
}

function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${digits(value * 1e6)} µs`;
  if (size < 1) return `${digits(value * 1e3)} ms`;
  return size < 120 ? `${digits(value)} s` : `${digits(value / 60)} min`;
}
