// Shows the system's notifications for requests that wait. It keeps no files,
// answers no fetches and sends nothing to the gateway: what a person chooses on
// a notification is handed to a page, which may do it or not.

'use strict';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

self.addEventListener('message', (event) => {
  const { data } = event;
  if (data?.kind === 'show') event.waitUntil(show(data));
  if (data?.kind === 'keep') event.waitUntil(keep(new Set(data.waiting)));
});

// Every tab asks for the same one, and it is shown once; not to who looks at a page.
async function show({ tag, title, body, approvalId, argsDigest, actions }) {
  if ((await pages()).some((page) => page.focused)) return;
  const known = await self.registration.getNotifications({ tag });
  if (known.length > 0) return;
  await self.registration.showNotification(title, {
    body,
    tag,
    actions,
    icon: '/icon-192.png',
    data: { approvalId, argsDigest },
  });
}

async function keep(waiting) {
  for (const notification of await self.registration.getNotifications()) {
    const { approvalId } = notification.data ?? {};
    if (approvalId ? !waiting.has(approvalId) : waiting.size === 0) notification.close();
  }
}

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { approvalId, argsDigest } = notification.data ?? {};
  event.waitUntil(action === 'deny' && approvalId ? deny(approvalId, argsDigest) : open(approvalId));
});

// Denying is the page's to do. If none does it, nothing is denied, and the card is opened.
async function deny(approvalId, argsDigest) {
  for (const page of await pages()) {
    if (await ask(page, { kind: 'deny', approvalId, argsDigest })) return;
  }
  await open(approvalId);
}

async function open(approvalId) {
  const [page] = await pages();
  if (page) {
    await page.focus().catch(() => undefined);
    if (await ask(page, { kind: 'open', approvalId })) return;
  }
  await self.clients.openWindow(approvalId ? `/requests/${encodeURIComponent(approvalId)}` : '/approvals');
}

const patience = 1500;

function ask(page, message) {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = (event) => resolve(event.data?.done === true);
    setTimeout(() => resolve(false), patience);
    page.postMessage(message, [channel.port2]);
  });
}
