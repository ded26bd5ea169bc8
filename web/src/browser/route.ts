import { useSyncExternalStore } from 'react';

/** Pages that need nothing but their name. */
export const pages = [
  'history',
  'remembered',
  'agents',
  'rules',
  'statistics',
  'access',
  'settings',
  'connection',
] as const;
export type Page = (typeof pages)[number];

// Addresses stand in the fragment, as the login link does: the server sees
// none of them, and a reload comes back to the same place.
export type Route =
  | { view: 'home' }
  | { view: 'waiting'; approvalId?: string }
  | { view: Page }
  | { view: 'new'; agentId: string }
  | { view: 'terminal'; code: string }
  | { view: 'session'; sessionId: string };

export function parseRoute(hash: string): Route {
  const [view, ...rest] = hash.replace(/^#\/?/, '').split('/');
  const argument = decode(rest.join('/'));
  if (view === 'waiting') return argument ? { view: 'waiting', approvalId: argument } : { view: 'waiting' };
  const page = pages.find((p) => p === view);
  if (page) return { view: page };
  if (view === 'new' && argument) return { view: 'new', agentId: argument };
  if (view === 'terminal' && argument) return { view: 'terminal', code: argument };
  if (view === 'session' && argument) return { view: 'session', sessionId: argument };
  return { view: 'home' };
}

export function href(route: Route): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'waiting':
      return route.approvalId ? `#/waiting/${encodeURIComponent(route.approvalId)}` : '#/waiting';
    case 'new':
      return `#/new/${encodeURIComponent(route.agentId)}`;
    case 'terminal':
      return `#/terminal/${encodeURIComponent(route.code)}`;
    case 'session':
      return `#/session/${encodeURIComponent(route.sessionId)}`;
    default:
      return `#/${route.view}`;
  }
}

export function go(route: Route): void {
  location.hash = href(route);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}
