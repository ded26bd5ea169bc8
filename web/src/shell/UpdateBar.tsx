import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useContext, useEffect, useState } from 'react';
import { hasUnsentText } from '../browser/unsentText';
import { StoreContext, useStore, type Store } from '../store/store';
import { texts } from './texts';
import classes from './shell.module.css';

// Nobody is surprised by a page that is gone the moment it is looked at.
const calmFor = 4;
// Two gateways of different versions behind one address must not make a page that reloads for ever.
const notAgainFor = 60_000;
const name = 'lineclear.reloaded';

/** Says that the gateway is another one by now; the page is reloaded when that disturbs nobody. */
export function UpdateBar() {
  const updated = useStore((s) => s.updated);
  const calm = useCalm(updated);
  if (!updated) return null;
  const t = texts.update;
  return (
    <div className={classes.update} role="status" data-testid="updated">
      <IconRefresh size={18} aria-hidden />
      <strong>{t.title}</strong>
      <span>{calm ? t.soon : t.typed}</span>
      <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
        {t.reload}
      </Button>
    </div>
  );
}

/** Whether the page will reload by itself; does so after some calm seconds. */
function useCalm(updated: boolean): boolean {
  const store = useContext(StoreContext);
  const [calm, setCalm] = useState(true);
  useEffect(() => {
    if (!updated) return;
    let seconds = 0;
    const look = () => {
      const now = isCalm(store) && !justReloaded();
      setCalm(now);
      seconds = now ? seconds + 1 : 0;
      if (seconds > calmFor) reload();
    };
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [updated, store]);
  return calm;
}

function isCalm(store: Store): boolean {
  const typing =
    document.activeElement?.matches('input, textarea, select, [contenteditable="true"]') ?? false;
  const { sessions, answers, clientCalls } = store.get();
  // What is on its way, or waits in this tab alone, would be lost.
  const busy =
    Object.keys(answers).length > 0 ||
    clientCalls.length > 0 ||
    Object.values(sessions).some((s) => s.outbox.some((m) => m.seq === undefined)) ||
    document.querySelector('[data-testid="batch"]') !== null;
  const drafts = Object.values(store.get().drafts).some((d) => Object.values(d).some((v) => v?.length));
  return (
    !busy &&
    !typing &&
    !drafts &&
    !hasUnsentText() &&
    !anythingTyped() &&
    !document.querySelector('[role="dialog"]')
  );
}

function anythingTyped(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>(
    'textarea:not([aria-hidden]), input:not([type="checkbox"], [type="radio"], [type="hidden"])',
  );
  return [...fields].some((field) => field.value.trim() !== '');
}

function justReloaded(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(name) ?? 0) < notAgainFor;
  } catch {
    return true; // where nothing can be remembered, nothing happens by itself
  }
}

function reload(): void {
  try {
    sessionStorage.setItem(name, String(Date.now()));
  } catch {
    return;
  }
  location.reload();
}
