import { useSyncExternalStore } from 'react';

// How the page draws a person's attention and takes single keys; it is each
// browser's own, so it stands there, under one name.

export interface AlertSettings {
  sound: boolean; // for a new request
  notifications: boolean; // of the system, while the page is not looked at
  push: string; // the person for whom they come while no page is open, too; '' for none
  offered: boolean; // that was offered, and the person has chosen
  keys: boolean; // single keys that move and open
  approveKey: boolean; // one that goes to the approve buttons, and presses none
}

const defaults: AlertSettings = {
  sound: false,
  notifications: false,
  push: '',
  offered: false,
  keys: true,
  approveKey: false,
};

const name = 'lineclear.attention';

function read(): AlertSettings {
  let kept: unknown;
  try {
    kept = JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    // No storage in this browser, or not ours: what is off at first stays off.
  }
  if (typeof kept !== 'object' || kept === null) return defaults;
  const known = kept as Record<string, unknown>;
  const flag = (key: keyof Omit<AlertSettings, 'push'>) =>
    typeof known[key] === 'boolean' ? known[key] : defaults[key];
  return {
    sound: flag('sound'),
    notifications: flag('notifications'),
    push: typeof known['push'] === 'string' ? known['push'] : '',
    offered: flag('offered'),
    keys: flag('keys'),
    approveKey: flag('approveKey'),
  };
}

let current: AlertSettings | undefined;
const listeners = new Set<() => void>();

export function alertSettings(): AlertSettings {
  return (current ??= read());
}

export function setAlertSettings(change: Partial<AlertSettings>): void {
  current = { ...alertSettings(), ...change };
  try {
    localStorage.setItem(name, JSON.stringify(current));
  } catch {
    // Then it holds until the page is closed.
  }
  for (const listener of [...listeners]) listener();
}

// Another tab of this browser has changed it.
function changed(event: StorageEvent): void {
  if (event.key !== null && event.key !== name) return;
  current = read();
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', changed);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', changed);
  };
}

export function useAlertSettings(): AlertSettings {
  return useSyncExternalStore(subscribe, alertSettings);
}
