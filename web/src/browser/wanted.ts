import { goTo, parseRoute } from './route';

// The page that was asked for by somebody who was not logged in: a login link leads to another one.
const name = 'lineclear.wanted';
const keptFor = 60 * 60_000;

/** Keeps the address for after the login. */
export function keepWanted(): void {
  const address = location.pathname + location.search;
  if (address === '/') return;
  try {
    localStorage.setItem(name, JSON.stringify({ address, at: Date.now() }));
  } catch {
    // No storage in this browser: then the link leads to Approvals.
  }
}

/** Goes to what was asked for before the login, once, if nothing else is asked for now. */
export function goToWanted(): void {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? 'null') as { address: string; at: number } | null;
    localStorage.removeItem(name);
    if (location.pathname !== '/' || !kept || Date.now() - kept.at > keptFor) return;
    if (parseRoute(new URL(kept.address, location.origin).pathname).view !== 'unknown')
      goTo(kept.address, 'replace');
  } catch {
    // What stands there is not ours.
  }
}
