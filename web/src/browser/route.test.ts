// @vitest-environment jsdom

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followLinks, goTo, href, pages, parseRoute, type Route } from './route';

describe('a URL', () => {
  it.each<[Route, string]>([
    [{ view: 'approvals' }, '/approvals'],
    [{ view: 'approvals', approvalId: '0193-a/b c' }, '/requests/0193-a%2Fb%20c'],
    [{ view: 'session', sessionId: 'x' }, '/sessions/x'],
    [{ view: 'new', agentId: 'demo' }, '/new/demo'],
    [{ view: 'terminal', code: 'ABCD-EFGH' }, '/terminal/ABCD-EFGH'],
    ...pages.map((view): [Route, string] => [{ view }, `/${view}`]),
  ])('of %j is %s, and parses back to it', (route, path) => {
    expect(href(route)).toBe(path);
    expect(parseRoute(path)).toEqual(route);
  });

  it.each([
    ['/', { view: 'approvals' }],
    ['/requests', { view: 'unknown' }],
    ['/history/x', { view: 'unknown' }],
    ['/nope', { view: 'unknown' }],
    ['/sessions/%E0%A4%A', { view: 'session', sessionId: '%E0%A4%A' }],
  ])('%s parses as %j', (path, route) => {
    expect(parseRoute(path)).toEqual(route);
  });

  it('is handled exactly where the gateway serves the page', () => {
    const source = readFileSync(resolve(import.meta.dirname, '../../web.go'), 'utf8');
    const table = /var pages = map\[string\]bool\{([^}]*)\}/.exec(source)![1]!;
    const served = [...table.matchAll(/"(\w+)":\s*(true|false)/g)].map(([, name, more]) => [name, more]);
    const known = served.filter(([name, more]) =>
      [`/${name}`, `/${name}/x`].some(
        (path, i) => (i === 0 || more === 'true') && parseRoute(path).view !== 'unknown',
      ),
    );
    expect(known).toEqual(served);
    for (const page of [...pages, 'approvals', 'requests', 'new', 'terminal'])
      expect(served.map(([name]) => name)).toContain(page);
  });
});

describe('a dashboard link', () => {
  beforeEach(() => history.replaceState(null, '', '/'));
  afterEach(() => document.body.replaceChildren());
  followLinks();

  const click = (attributes: Record<string, string>, init: MouseEventInit = {}) => {
    const link = document.createElement('a');
    for (const [name, value] of Object.entries(attributes)) link.setAttribute(name, value);
    document.body.append(link);
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init });
    // Keeps the browser from loading the page where followLinks doesn't.
    window.addEventListener('click', (e) => e.preventDefault(), { once: true });
    link.dispatchEvent(event);
    return location.pathname + location.search;
  };

  it('is followed without loading the page, query included', () => {
    expect(click({ href: '/history?q=x' })).toBe('/history?q=x');
  });

  it.each<[string, Record<string, string>, MouseEventInit]>([
    ['opened in a new tab', { href: '/history' }, { ctrlKey: true }],
    ['opened by the middle button', { href: '/history' }, { button: 1 }],
    ['with a target of its own', { href: '/history', target: '_blank' }, {}],
    ['to a file', { href: '/audit.csv', download: '' }, {}],
    ['to what is no page', { href: '/api/docs' }, {}],
    ['to another place', { href: 'https://example.com/history' }, {}],
  ])('%s is left to the browser', (_, attributes, init) => {
    expect(click(attributes, init)).toBe('/');
  });

  it('that replaces adds no history entry', () => {
    const before = history.length;
    goTo('/requests/a', 'replace');
    goTo('/requests/b', 'replace');
    expect(history.length).toBe(before);
    goTo('/rules');
    expect(history.length).toBe(before + 1);
  });
});
