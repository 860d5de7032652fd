/** Requests to the room service. Every failure becomes an ApiError with a text for people. */

export class ApiError extends Error {
  /** @param {number} status @param {{code?: string, text?: string, rule?: string}} body */
  constructor(status, body) {
    super(body.text || `The server answered ${status}.`);
    this.status = status;
    this.code = body.code || '';
    this.rule = body.rule || '';
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 */
export async function request(method, path, body) {
  /** @type {RequestInit & {headers: Record<string, string>}} */
  const init = { method, headers: {}, credentials: 'same-origin' };
  if (body !== undefined) {
    init.headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new ApiError(0, { code: 'offline', text: 'The server cannot be reached. Nothing was lost; try again.' });
  }
  const text = await answer.text();
  const data = text ? parse(text) : {};
  if (!answer.ok) throw new ApiError(answer.status, data);
  return data;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Send an answer.
 * @param {string} code
 * @param {string} offer
 * @param {any} answer
 */
export async function act(code, offer, answer) {
  return once(`/api/rooms/${code}/actions`, { offer, answer });
}

/**
 * Post what must be done once. It keeps its id over retries, so that it acts once however often it is sent.
 * @param {string} path
 * @param {any} what
 */
export async function once(path, what) {
  const body = { command_id: crypto.randomUUID ? crypto.randomUUID() : uuid(), ...what };
  for (let tries = 0; ; tries += 1) {
    try {
      return await request('POST', path, body);
    } catch (error) {
      const passing = error instanceof ApiError && (error.status === 0 || error.status === 503 || error.status === 429);
      if (!passing || tries >= 3) throw error;
      await new Promise((done) => setTimeout(done, 400 * 2 ** tries));
    }
  }
}

/** A version 4 UUID, where the page is not served securely and the browser's own is missing. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
