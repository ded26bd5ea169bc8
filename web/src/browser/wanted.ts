import { goTo, parseRoute } from './route';

// The page somebody asked for before logging in; a login link opens another one.
const name = 'lineclear.wanted';
const keptFor = 60 * 60_000;

/** Stores the current URL for after the login. */
export function keepWanted(): void {
  const address = location.pathname + location.search;
  if (address === '/') return;
  try {
    localStorage.setItem(name, JSON.stringify({ address, at: Date.now() }));
  } catch {
    // No storage: the login leads to Approvals.
  }
}

/** Goes to the page asked for before the login, once, unless the URL names another one now. */
export function goToWanted(): void {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? 'null') as { address: string; at: number } | null;
    localStorage.removeItem(name);
    if (location.pathname !== '/' || !kept || Date.now() - kept.at > keptFor) return;
    if (parseRoute(new URL(kept.address, location.origin).pathname).view !== 'unknown')
      goTo(kept.address, 'replace');
  } catch {
    // Not written by us.
  }
}
