import { expect, type BrowserContext, type Page, type Worker } from '@playwright/test';

// The worker that shows the system's notifications, web/public/sw.js.

/** Turns notifications on. */
export async function notified(browser: BrowserContext, page: Page): Promise<Worker> {
  const starting = browser.waitForEvent('serviceworker');
  await page.getByLabel('Show desktop notifications').click({ force: true });
  const worker = await starting;
  await expect(page.getByLabel('Show desktop notifications')).toBeChecked();
  await unfocused(worker);
  return worker;
}

/** Playwright gives every page the focus, which would keep notifications back. */
export async function unfocused(worker: Worker): Promise<void> {
  await worker.evaluate(() => {
    const clients = (self as unknown as { clients: Clients }).clients;
    const real = clients.matchAll.bind(clients);
    clients.matchAll = async (options) =>
      (await real(options)).map((c) => ({
        focused: false,
        postMessage: c.postMessage.bind(c),
        focus: () => Promise.resolve(c),
      }));
  });
  // A browser without a desktop needs a moment until it keeps what it is given to show.
  await expect.poll(() => probed(worker)).toBe(true);
}

interface Client {
  focused: boolean;
  postMessage: (...args: unknown[]) => void;
  focus: () => Promise<unknown>;
}

interface Clients {
  matchAll: (options?: unknown) => Promise<Client[]>;
}

interface Scope {
  registration: {
    getNotifications: (filter?: { tag: string }) => Promise<Shown[]>;
    showNotification: (title: string, options: { tag: string }) => Promise<void>;
  };
}

interface Shown {
  title: string;
  actions: { action: string }[];
  close: () => void;
}

/** Shows a notification, and takes it away again; whether it was kept. */
const probed = (worker: Worker) =>
  worker.evaluate(async () => {
    const { registration } = self as unknown as Scope;
    await registration.showNotification('probe', { tag: 'probe' });
    const [kept] = await registration.getNotifications({ tag: 'probe' });
    kept?.close();
    return kept !== undefined;
  });

/** The worker's own queue: a notification that is looked for while it is on its way is dropped. */
declare let before: Promise<unknown>;

export const shown = (worker: Worker) =>
  worker.evaluate(() => {
    const looking = before.then(() => (self as unknown as Scope).registration.getNotifications());
    before = looking;
    return looking.then((list) =>
      list.map((n) => `${n.title}: ${n.actions.map((a) => a.action).join(', ')}`),
    );
  });

/** A person's click on the notification that is shown, which a headless browser has no screen for. */
export const clicked = (worker: Worker, action: string) =>
  worker.evaluate(async (action) => {
    const [notification] = await (self as unknown as Scope).registration.getNotifications();
    const Click = (self as unknown as { NotificationEvent: new (type: string, init: object) => Event })
      .NotificationEvent;
    self.dispatchEvent(new Click('notificationclick', { notification, action }));
  }, action);
