import { api } from '../wire/api';
import { texts } from '../words/texts';
import { alertSettings, setAlertSettings } from './alertSettings';
import { askForNotifications } from './systemNotifications';

// How this browser is called while no page is open: by its push service, to which the
// gateway sends. public/sw.js shows what comes.

/** Whether it can be, and whether the gateway does so now. */
export type PushState = { can: true; active: boolean } | { can: false; why: string };

let renewing: Promise<void> | undefined;

export async function pushState(): Promise<PushState> {
  const t = texts.attention;
  if (!window.isSecureContext) return { can: false, why: t.pushInsecure };
  if (!('serviceWorker' in navigator) || !('PushManager' in window))
    return { can: false, why: t.pushUnsupported };
  const { on, endpoint } = await api.push();
  if (!on) return { can: false, why: t.pushOff };
  return { can: true, active: endpoint !== undefined && endpoint === (await subscription())?.endpoint };
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Has a person called at this browser, too; what there is to say when that does not work, or ''. */
export async function turnOnPush(subject: string): Promise<string> {
  const trouble = await askForNotifications();
  if (trouble !== '') return trouble;
  try {
    await subscribe();
  } catch (error) {
    return texts.attention.pushFailed((error as Error).message);
  }
  setAlertSettings({ notifications: true, push: subject, offered: true });
  return '';
}

export async function turnOffPush(): Promise<void> {
  if (alertSettings().push === '') return;
  await renewing; // or what it does would come after this
  await api.unsubscribePush();
  setAlertSettings({ push: '' });
  await (await subscription())?.unsubscribe();
}

/** Subscribes again where the subscription was lost: with a login, at the push service, or with the gateway's key. */
export function renewPush(): Promise<void> {
  return (renewing ??= renew().finally(() => (renewing = undefined)));
}

async function renew(): Promise<void> {
  try {
    const state = await pushState();
    if (state.can && !state.active && Notification.permission === 'granted') await subscribe();
  } catch {
    // The settings say that it does not work.
  }
}

async function subscribe(): Promise<void> {
  const { publicKey } = await api.push();
  await navigator.serviceWorker.register('/sw.js');
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe(); // it may have another key
  const made = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytes(publicKey ?? ''),
  });
  const { endpoint, keys } = made.toJSON();
  await api.subscribePush({
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' },
  });
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
