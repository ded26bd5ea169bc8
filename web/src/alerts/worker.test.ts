import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';

// public/sw.js, with a browser of the test's own around it.

interface Shown {
  title: string;
  tag: string;
  silent?: boolean;
  renotify?: boolean;
  actions?: { action: string }[];
  data: { approvalId?: string; brief?: boolean };
  close: () => void;
}

interface Page {
  focused: boolean;
  says?: (asked: { kind: string; approvalId?: string }) => unknown;
}

/** A channel whose other side answers in the same breath. */
class Channel {
  port1: { onmessage?: (event: { data: unknown }) => void } = {};
  port2 = { answer: (data: unknown) => this.port1.onmessage?.({ data }) };
}

function start(...pages: Page[]) {
  let shown: Shown[] = [];
  let looks = 0;
  const listeners: Record<string, (event: object) => void> = {};
  const opened: string[] = [];
  const badges: number[] = [];
  let setAppBadge = (n: number): Promise<void> => Promise.resolve(void badges.push(n));
  const self = {
    addEventListener: (type: string, listener: (event: object) => void) => (listeners[type] = listener),
    navigator: { setAppBadge: (n: number) => setAppBadge(n), clearAppBadge: () => setAppBadge(0) },
    clients: {
      matchAll: () =>
        Promise.resolve(
          pages.map(({ focused, says }) => ({
            focused,
            focus: () => Promise.resolve(),
            postMessage: (asked: { kind: string }, [port]: Channel['port2'][]) => {
              const answer = says?.(asked);
              if (answer !== undefined) port!.answer(answer);
            },
          })),
        ),
      openWindow: (path: string) => Promise.resolve(void opened.push(path)),
    },
    registration: {
      getNotifications: (filter?: { tag: string }) => {
        looks++;
        return Promise.resolve(shown.filter((n) => !filter || n.tag === filter.tag));
      },
      // Like Chromium, it drops what is looked for while it is on its way.
      showNotification: async (title: string, options: Omit<Shown, 'title' | 'close'>) => {
        const made: Shown = { title, ...options, close: () => (shown = shown.filter((n) => n !== made)) };
        const before = looks;
        await new Promise((shown) => setTimeout(shown));
        if (looks === before) shown = [...shown.filter((n) => n.tag !== made.tag), made];
      },
    },
  };
  const patient = (resolve: () => void) => queueMicrotask(resolve); // who says nothing is not waited for
  new Function('self', 'MessageChannel', 'setTimeout', readFileSync('public/sw.js', 'utf8'))(
    self,
    Channel,
    patient,
  );
  const send = async (type: string, event: object) => {
    let done: Promise<unknown> | undefined;
    listeners[type]!({ ...event, waitUntil: (promise: Promise<unknown>) => (done ??= promise) });
    await done;
  };
  return {
    badges,
    setBadge: (by: (n: number) => Promise<void>) => (setAppBadge = by),
    opened,
    titles: () => shown.map((n) => n.title),
    shown: () => shown,
    push: (message: object) => send('push', { data: { json: () => message } }),
    pushText: () => send('push', { data: { json: () => JSON.parse('no JSON') as unknown } }),
    tell: (data: object) => send('message', { data }),
    click: (notification: Shown, action = '') => send('notificationclick', { notification, action }),
  };
}

const asked = (approvalId: string, waiting = 1) => ({ approvalId, waiting });
const settled = (approvalId: string, waiting = 0) => ({ approvalId, waiting, settled: true });
const away = (says?: Page['says']): Page => ({ focused: false, ...(says && { says }) });
const full = (approvalId: string) => ({ tag: approvalId, title: `all about ${approvalId}`, approvalId });

it('loses nothing of what pages and messages show at once', async () => {
  const worker = start(away());
  const show = (approvalId: string) => worker.tell({ kind: 'show', ...full(approvalId) });
  await Promise.all([show('a'), show('a'), show('b'), worker.push(asked('c', 3)), show('b')]);
  expect(worker.titles()).toEqual(['all about a', 'all about b', 'A request needs approval']);
});

describe('a push message', () => {
  it('says that something needs approval, and opens it', async () => {
    const worker = start();
    await worker.push(asked('a/b'));
    expect(worker.titles()).toEqual(['A request needs approval']);
    const [notification] = worker.shown();
    expect(notification!.actions?.map((a) => a.action)).toEqual(['open']);
    await worker.click(notification!, 'open');
    expect(worker.opened).toEqual(['/requests/a%2Fb']);
    expect(worker.titles()).toEqual([]);
  });

  it('shows nothing to who looks at a page', async () => {
    const worker = start(away(), { focused: true });
    await worker.push(asked('a'));
    expect(worker.titles()).toEqual([]);
    await worker.push(settled('a'));
    expect(worker.titles()).toEqual([]);
    expect(worker.badges).toEqual([1, 0]);
  });

  it('says what a page knows of it', async () => {
    const worker = start(
      away(),
      away(() => ({ done: false })),
      away(({ kind, approvalId }) => kind === 'describe' && { done: true, notification: full(approvalId!) }),
    );
    await worker.push(asked('a'));
    expect(worker.titles()).toEqual(['all about a']);
  });

  it('is shown though the badge is never set and a page has just gone', async () => {
    const gone = away(() => {
      throw new Error('gone');
    });
    const worker = start(gone);
    worker.setBadge(() => new Promise(() => undefined));
    await worker.push(asked('a'));
    expect(worker.titles()).toEqual(['A request needs approval']);
  });

  it('adds nothing to what a page has shown, and a page shows more in its place', async () => {
    const worker = start(away());
    await worker.tell({ kind: 'show', ...full('a') });
    await worker.push(asked('a'));
    expect(worker.titles()).toEqual(['all about a']);
    await worker.push(asked('b'));
    await worker.tell({ kind: 'show', ...full('b') });
    expect(worker.titles()).toEqual(['all about a', 'all about b']);
  });

  it('is taken back in silence, and what stands for that is gone with the next one', async () => {
    const worker = start();
    await worker.push(asked('a', 1));
    await worker.push(asked('b', 2));
    await worker.push(settled('a', 1));
    expect(worker.titles()).toEqual(['A request needs approval', 'A request was answered']);
    expect(worker.shown()[1]).toMatchObject({ silent: true });
    await worker.push(asked('c', 2));
    expect(worker.titles()).toEqual(['A request needs approval', 'A request needs approval']);
    expect(worker.shown().map((n) => n.data.approvalId)).toEqual(['b', 'c']);
  });

  it('is counted where there are many', async () => {
    const worker = start();
    for (const [i, id] of ['a', 'b', 'c', 'd', 'e'].entries()) void worker.push(asked(id, i + 1));
    await worker.push(asked('f', 6));
    expect(worker.titles()).toEqual(['6 requests need approval']);
    expect(worker.shown()[0]).toMatchObject({ tag: 'many', renotify: true });
    await worker.push(settled('a', 5));
    expect(worker.titles()).toEqual(['5 requests need approval']);
    expect(worker.shown()[0]).toMatchObject({ silent: true, renotify: false });
    await worker.push(settled('b', 1));
    expect(worker.titles()).toEqual(['A request was answered']);
  });

  it('that can’t be read shows something all the same', async () => {
    const worker = start();
    await worker.pushText();
    expect(worker.titles()).toEqual(['A request needs approval']);
    expect(worker.badges).toEqual([]);
    await worker.click(worker.shown()[0]!);
    expect(worker.opened).toEqual(['/approvals']);
  });
});

describe('a page', () => {
  it('takes away what waits no more', async () => {
    const worker = start();
    await worker.push(asked('a', 1));
    await worker.push(asked('b', 2));
    await worker.push(settled('c', 2));
    await worker.tell({ kind: 'keep', waiting: ['b'] });
    expect(worker.shown().map((n) => n.data.approvalId)).toEqual(['b']);
    await worker.tell({ kind: 'keep', waiting: [] });
    expect(worker.titles()).toEqual([]);
  });

  it('denies what it is asked to, and without one the request is opened', async () => {
    const says = vi.fn(() => ({ done: true }));
    const notification = { data: { approvalId: 'a', argsDigest: 'd' }, close: () => undefined };
    const worker = start(away(says));
    await worker.click(notification as unknown as Shown, 'deny');
    expect(says).toHaveBeenCalledWith({ kind: 'deny', approvalId: 'a', argsDigest: 'd' });
    expect(worker.opened).toEqual([]);
    const alone = start(away());
    await alone.click(notification as unknown as Shown, 'deny');
    expect(alone.opened).toEqual(['/requests/a']);
  });
});
