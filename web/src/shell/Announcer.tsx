import { useEffect } from 'react';
import { askerOf, isQuestion } from '../request/asker';
import type { ApprovalRequest } from '../wire/wire';
import { useStore } from '../store/store';
import { texts } from './texts';
import { Alerts } from '../alerts/Alerts';
import { KeyMap } from './KeyMap';
import { Revealed } from '../ui/Revealed';
import shared from '../ui/shared.module.css';

/** Announces new requests to screen readers, and counts them in the tab's title. */
export function Announcer() {
  const pending = useStore((s) => s.pending);
  const count = Object.keys(pending).length;
  const newest = Object.values(pending).reduce<(typeof pending)[string] | undefined>(
    (a, b) => (a && a.requestedAt >= b.requestedAt ? a : b),
    undefined,
  );
  useEffect(() => {
    document.title = texts.title(count);
  }, [count]);
  return (
    <>
      <div className={shared.visuallyHidden} role="status" aria-live="polite">
        {newest && <Revealed text={announced(newest)} />}
      </div>
      <Alerts />
      <KeyMap />
    </>
  );
}

function announced(request: ApprovalRequest): string {
  const t = texts.notice;
  return isQuestion(request)
    ? t.liveQuestion(askerOf(request))
    : t.live(request.toolName ?? '', askerOf(request));
}
