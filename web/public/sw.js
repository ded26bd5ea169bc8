// Shows the system's notifications for requests that wait: those that a page asks for and,
// while no page is there, those that the gateway sends by web push. It keeps no files, answers
// no fetches and sends nothing to the gateway: what a person chooses on a notification is
// handed to a page, which may do it or not.

'use strict';

// What it says while no page is open. The pages' own texts are in src/words/attention.ts.
const words = {
  asked: 'A request needs approval',
  askedBody: 'Open it to see what it is.',
  many: (n) => `${n} requests need approval`,
  settled: 'A request was answered',
  open: 'Open',
};

// With more at once, they are counted and not named.
const mostNamed = 3;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });
const shown = (tag) => self.registration.getNotifications(tag && { tag });
const lookedAt = async () => (await pages()).some((page) => page.focused);

// One after the other: each looks at what the one before has shown, and browsers drop a
// notification that is looked for while it is on its way.
let before = Promise.resolve();

function inTurn(event, work) {
  before = before.then(work).catch(() => undefined);
  event.waitUntil(before);
}

self.addEventListener('message', (event) => {
  const { data } = event;
  if (data?.kind === 'show') inTurn(event, () => show(data));
  if (data?.kind === 'keep') inTurn(event, () => keep(new Set(data.waiting)));
});

// Every tab asks for the same one, and it is shown once; not to who looks at a page. It takes
// the place of one that says less.
async function show(notification) {
  if (await lookedAt()) return;
  const known = await shown(notification.tag);
  if (known.some((other) => !other.data?.brief)) return;
  await display(notification);
}

const display = ({ tag, title, body, approvalId, argsDigest, actions, brief, ...options }) =>
  self.registration.showNotification(title, {
    body,
    tag,
    actions,
    icon: '/icon-192.png',
    data: { approvalId, argsDigest, brief },
    ...options,
  });

async function keep(waiting) {
  for (const notification of await shown()) {
    const { approvalId } = notification.data ?? {};
    const gone = approvalId ? !waiting.has(approvalId) : waiting.size === 0;
    if (gone || notification.tag === 'settled') notification.close();
  }
}

self.addEventListener('push', (event) => {
  let told = {};
  try {
    told = event.data?.json() ?? {};
  } catch {
    // It is not the gateway's; a browser demands that something is shown all the same.
  }
  const badge = setBadge(told.waiting);
  inTurn(event, () => pushed(told));
  event.waitUntil(badge); // which nothing else waits for
});

async function pushed({ approvalId, settled, waiting }) {
  await closeAll(await shown('settled')); // of which nobody needs to know any more
  if (settled) await takeBack(approvalId, waiting);
  else await announce(approvalId, waiting);
}

async function setBadge(waiting) {
  if (!('setAppBadge' in self.navigator) || typeof waiting !== 'number') return;
  await (waiting > 0 ? self.navigator.setAppBadge(waiting) : self.navigator.clearAppBadge()).catch(
    () => undefined,
  );
}

function closeAll(notifications) {
  for (const notification of notifications) notification.close();
}

// A page that is open and logged in knows more of the request than the message says.
async function announce(approvalId, waiting) {
  if (await lookedAt()) return;
  const named = (await shown()).filter((other) => other.data?.approvalId);
  if (named.some((other) => other.tag === approvalId && !other.data.brief)) return;
  if (waiting > mostNamed && (named.length >= mostNamed || (await shown('many')).length > 0)) {
    await display(many(waiting));
    closeAll(named);
    return;
  }
  const brief = { title: words.asked, body: words.askedBody, brief: true, ...opening };
  await display({ tag: approvalId, approvalId, ...((await described(approvalId)) ?? brief) });
}

const opening = { actions: [{ action: 'open', title: words.open }] };

const many = (waiting) => ({ tag: 'many', title: words.many(waiting), renotify: true, ...opening });

async function described(approvalId) {
  const asked = { kind: 'describe', approvalId };
  const answers = await Promise.all((await pages()).map((page) => ask(page, asked)));
  return answers.find((answer) => answer.notification)?.notification;
}

// Browsers demand that each message shows something: here what rings no bell, and is closed by
// the next message or page.
async function takeBack(approvalId, waiting) {
  const counted = await shown('many');
  closeAll(await shown(approvalId));
  if (!(waiting > 1)) closeAll(counted);
  if (await lookedAt()) return;
  if (counted.length > 0 && waiting > 1) await display({ ...many(waiting), renotify: false, silent: true });
  else await display({ tag: 'settled', title: words.settled, silent: true });
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
    if ((await ask(page, { kind: 'deny', approvalId, argsDigest })).done) return;
  }
  await open(approvalId);
}

async function open(approvalId) {
  const [page] = await pages();
  if (page) {
    await page.focus().catch(() => undefined);
    if ((await ask(page, { kind: 'open', approvalId })).done) return;
  }
  await self.clients.openWindow(approvalId ? `/requests/${encodeURIComponent(approvalId)}` : '/approvals');
}

const patience = 1500;

function ask(page, message) {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = (event) => resolve(event.data ?? {});
    setTimeout(() => resolve({}), patience);
    try {
      page.postMessage(message, [channel.port2]);
    } catch {
      resolve({}); // it has just gone
    }
  });
}
