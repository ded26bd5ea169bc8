import { useMemo, useSyncExternalStore } from 'react';

/** Pages that need nothing but their name. */
export const pages = [
  'sessions',
  'history',
  'rules',
  'agents',
  'access',
  'statistics',
  'gateways',
  'settings',
] as const;
export type Page = (typeof pages)[number];

/** Every place in the dashboard. URLs are permanent and the same for everyone. */
export type Route =
  | { view: 'approvals'; approvalId?: string }
  | { view: Page }
  | { view: 'new'; agentId: string }
  | { view: 'terminal'; code: string }
  | { view: 'session'; sessionId: string }
  | { view: 'unknown' };

// First path segments that take a second one.
const places = {
  requests: (approvalId: string): Route => ({ view: 'approvals', approvalId }),
  sessions: (sessionId: string): Route => ({ view: 'session', sessionId }),
  new: (agentId: string): Route => ({ view: 'new', agentId }),
  terminal: (code: string): Route => ({ view: 'terminal', code }),
};

export function parseRoute(path: string): Route {
  const [first = '', ...rest] = path.replace(/^\//, '').split('/');
  const argument = decode(rest.join('/'));
  if (argument) return first in places ? places[first as keyof typeof places](argument) : { view: 'unknown' };
  if (first === '' || first === 'approvals') return { view: 'approvals' };
  const page = pages.find((p) => p === first);
  return page ? { view: page } : { view: 'unknown' };
}

/** The URL of a place, with an optional query. */
export function href(route: Route, query = new URLSearchParams()): string {
  return query.size > 0 ? `${pathOf(route)}?${query.toString()}` : pathOf(route);
}

function pathOf(route: Route): string {
  switch (route.view) {
    case 'approvals':
      return route.approvalId ? `/requests/${encodeURIComponent(route.approvalId)}` : '/approvals';
    case 'new':
      return `/new/${encodeURIComponent(route.agentId)}`;
    case 'terminal':
      return `/terminal/${encodeURIComponent(route.code)}`;
    case 'session':
      return `/sessions/${encodeURIComponent(route.sessionId)}`;
    case 'unknown':
      return '/';
    default:
      return `/${route.view}`;
  }
}

const moved = 'lineclear.moved';

/** Goes to a URL of the dashboard; replace drops the current one from the browser history. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  if (address === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  window.dispatchEvent(new Event(moved));
}

export function go(route: Route): void {
  goTo(href(route));
}

/** Follows the dashboard's own links without reloading the page. */
export function followLinks(): void {
  document.addEventListener('click', (e) => {
    const link = e.target instanceof Element ? e.target.closest('a') : null;
    const plain = e.button === 0 && !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.altKey;
    if (!link || !plain || e.defaultPrevented || link.target || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || parseRoute(link.pathname).view === 'unknown') return;
    e.preventDefault();
    goTo(link.pathname + link.search);
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(listener: () => void): () => void {
  for (const event of ['popstate', moved]) window.addEventListener(event, listener);
  return () => {
    for (const event of ['popstate', moved]) window.removeEventListener(event, listener);
  };
}

export function useRoute(): Route {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return useMemo(() => parseRoute(path), [path]);
}

/** The current URL's query: search, filters, order. */
export function useQuery(): URLSearchParams {
  const search = useSyncExternalStore(subscribe, () => location.search);
  return useMemo(() => new URLSearchParams(search), [search]);
}
