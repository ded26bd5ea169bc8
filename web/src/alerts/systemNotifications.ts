import { askerOf, isQuestion } from '../request/asker';
import { visibleText } from '../ui/hiddenCharacters';
import { texts } from '../words/texts';
import type { ApprovalRequest } from '../wire/wire';

// The page's side of public/sw.js, which shows the system's notifications. The
// worker is there only for who has turned them on, and keeps no files.

/** What the worker asks of a page: to open or deny a request, or to say more of it than a push message does. */
export type WorkerQuestion =
  | { kind: 'open'; approvalId: string }
  | { kind: 'deny'; approvalId: string; argsDigest: string }
  | { kind: 'describe'; approvalId: string };

/** What a page says to it. */
export interface WorkerAnswer {
  done: boolean;
  notification?: ReturnType<typeof notificationOf>;
}

/** Turns them on; what there is to say when that does not work, or ''. */
export async function askForNotifications(): Promise<string> {
  const t = texts.attention;
  if (!('serviceWorker' in navigator) || typeof Notification === 'undefined') return t.unsupported;
  try {
    if ((await Notification.requestPermission()) !== 'granted') return t.askedNo;
    await navigator.serviceWorker.register('/sw.js');
    await navigator.serviceWorker.ready;
    return '';
  } catch (error) {
    return t.failed((error as Error).message);
  }
}

/** The worker of a browser that was told so before; nobody is asked again. */
export async function startNotifications(): Promise<void> {
  if (!('serviceWorker' in navigator) || typeof Notification === 'undefined') return;
  if (Notification.permission !== 'granted') return;
  await navigator.serviceWorker.register('/sw.js').catch(() => undefined); // then there are none
}

export async function endNotifications(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration('/');
  for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
  await registration?.unregister();
}

async function post(message: object): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration('/');
  registration?.active?.postMessage(message);
}

/** The worker shows it, unless a page is being looked at. */
export function notify(request: ApprovalRequest): Promise<void> {
  return post({ kind: 'show', ...notificationOf(request) });
}

export function notificationOf(request: ApprovalRequest) {
  const t = texts.attention;
  const question = isQuestion(request);
  const asker = askerOf(request);
  const title = question ? t.question(asker) : t.notice(asker, request.toolName ?? '');
  const level = request.risk?.level;
  const risk = level && (texts.card.risks[level] ?? texts.card.riskUnknown(level));
  return {
    tag: request.approvalId,
    title: shortened(title, 120),
    body: shortened([risk, request.message].filter(Boolean).join('. '), 240),
    approvalId: request.approvalId,
    argsDigest: request.argsDigest,
    actions: [{ action: 'open', title: t.open }, ...(question ? [] : [{ action: 'deny', title: t.deny }])],
  };
}

export function notifyMany(count: number): Promise<void> {
  const { open, many } = texts.attention;
  return post({
    kind: 'show',
    tag: 'many',
    title: many(count),
    body: '',
    actions: [{ action: 'open', title: open }],
  });
}

/** Takes away what does not wait any more. */
export function closeOthers(waiting: readonly string[]): Promise<void> {
  return post({ kind: 'keep', waiting });
}

/** Answers what the worker asks, such as what a person has chosen on a notification. */
export function onWorkerQuestion(answer: (asked: WorkerQuestion) => WorkerAnswer): () => void {
  if (!('serviceWorker' in navigator)) return () => undefined;
  const worker = navigator.serviceWorker;
  const onMessage = (event: MessageEvent<WorkerQuestion>) => event.ports[0]?.postMessage(answer(event.data));
  worker.addEventListener('message', onMessage);
  return () => worker.removeEventListener('message', onMessage);
}

// A notification shows plain text only, and cuts where it likes.
function shortened(text: string, most: number): string {
  const shown = visibleText(text);
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown;
}
