import type { wire } from 'lineclear';

// A login's proof. Browsers send the cookie to every port of a host; what is kept here only pages
// of this scheme, host and port can use: a key that can't be read out, with which the gateway is
// asked for short-lived proofs, or, without WebCrypto, the proof that the login was answered with.
const name = 'lineclear.csrf';
const byKey = 'key '; // the login's id follows; its key is in the database
const database = 'lineclear';
const renewAfter = 5 * 60_000; // half of a proof's life

let unkept = ''; // where nothing can be kept, until the page is reloaded
let given: { loginId: string; csrf: string; at: number } | undefined;
let renewing: Promise<string> | undefined;
let ended: wire.LoginEnd | undefined;

export interface PageKey {
  publicKey: string;
  privateKey: CryptoKey;
}

/** A fresh key for a login; none where the browser has no WebCrypto or can't keep a key. */
export async function newKey(): Promise<PageKey | undefined> {
  try {
    const curve = { name: 'ECDSA', namedCurve: 'P-256' };
    const pair = await crypto.subtle.generateKey(curve, false, ['sign', 'verify']);
    const raw = await crypto.subtle.exportKey('spki', pair.publicKey);
    await inDatabase('readwrite', (keys) => (keys.put(pair.privateKey, 'probe'), keys.delete('probe')));
    return { publicKey: base64url(raw), privateKey: pair.privateKey };
  } catch {
    return undefined;
  }
}

/** Why this browser's login ended, if the gateway said so: it tells only the page that holds the key. */
export const loginEnd = () => ended;

/** Notes why a login ended, if a refusal says so. */
export async function noteEnd(refusal: Response): Promise<void> {
  const { ended: told } = (await refusal.json().catch(() => ({}))) as wire.EndedProblem;
  ended = told ?? ended;
}

/** Keeps what a login was answered with, for all tabs; with a key that was sent, that. */
export async function keepLogin(login: wire.LoggedInBody, key?: PageKey): Promise<void> {
  ended = undefined;
  if (key) {
    await inDatabase('readwrite', (keys) => (keys.clear(), keys.put(key.privateKey, login.loginId)));
    given = { loginId: login.loginId, csrf: login.csrf, at: performance.now() };
  }
  keep(key ? byKey + login.loginId : login.csrf);
}

/** Forgets the login, in all tabs. */
export async function forgetLogin(): Promise<void> {
  given = ended = undefined;
  keep('');
  await inDatabase('readwrite', (keys) => keys.clear()).catch(() => undefined);
}

/**
 * The proof of the newest login, whichever tab began that; empty without one, or where the login is
 * over. fresh asks for another. It fails where the gateway can't be asked.
 */
export async function proof(fresh = false): Promise<string> {
  const kept = read();
  if (!kept.startsWith(byKey)) return fresh ? '' : kept;
  const loginId = kept.slice(byKey.length);
  const good = given?.loginId === loginId && performance.now() - given.at < renewAfter;
  if (good && !fresh) return given!.csrf;
  renewing ??= renew(loginId).finally(() => (renewing = undefined));
  return renewing;
}

/**
 * fetch, but a request refused with 431 is repeated: another page of this host can set so many
 * cookies that the headers are too long. Each refusal removes the cookies it received, which may
 * not be all.
 */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  for (let times = 0; ; times += 1) {
    const response = await fetch(path, init);
    if (response.status !== 431 || times === 8) return response;
  }
}

async function renew(loginId: string): Promise<string> {
  given = undefined;
  const key = await inDatabase<CryptoKey | undefined>('readonly', (keys) => keys.get(loginId)).catch(
    () => undefined,
  );
  if (!key) return '';
  const asked = await ask('/api/login/challenge', { method: 'GET', cache: 'no-store' });
  if (!asked.ok) throw new Error(`status ${asked.status}`);
  const { challenge } = (await asked.json()) as { challenge: string };
  const text = new TextEncoder().encode(`lineclear login ${loginId} ${challenge}`);
  const signature = base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, text));
  const answer = await ask('/api/login/proof', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ loginId, challenge, signature }),
    cache: 'no-store',
  });
  if (answer.status === 401) {
    await noteEnd(answer);
    return ''; // that login is over
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { csrf } = (await answer.json()) as wire.ProofBody;
  given = { loginId, csrf, at: performance.now() };
  return csrf;
}

/** Whether this browser has logged in, as far as it knows. */
export const hasLoggedIn = () => read() !== '';

function read(): string {
  try {
    return localStorage.getItem(name) || unkept;
  } catch {
    return unkept;
  }
}

function keep(text: string): void {
  try {
    localStorage.setItem(name, text);
    unkept = '';
  } catch {
    unkept = text;
  }
}

function inDatabase<T>(mode: IDBTransactionMode, act: (keys: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((done, failed) => {
    const opened = indexedDB.open(database, 1);
    opened.onupgradeneeded = () => opened.result.createObjectStore('keys');
    opened.onerror = () => failed(opened.error!);
    opened.onsuccess = () => {
      const change = opened.result.transaction('keys', mode);
      const asked = act(change.objectStore('keys'));
      change.oncomplete = () => (opened.result.close(), done(asked.result as T));
      change.onabort = change.onerror = () => (opened.result.close(), failed(change.error!));
    };
  });
}

const base64url = (raw: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(raw)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
