import { useContext, useEffect, useRef } from 'react';
import { attention, useAttention } from './attention';
import { useConnection, type Commands } from '../connection/context';
import { setFavicon } from './favicon';
import { go } from '../browser/route';
import { playTone } from './sound';
import { StoreContext, useStore, type Store } from '../store/store';
import { may, type ApprovalRequest } from '../wire/wire';
import { notify, notifyMany, onAsked, startNotifications, withdraw, type Asked } from './worker';

// With more at once, they are counted and not named.
const mostNamed = 3;

/** Draws attention to what is new: the tab's sign, a tone, a notification of the system. */
export function Alerts() {
  const store = useContext(StoreContext);
  const connection = useConnection();
  const pending = useStore((s) => s.pending);
  const ready = useStore((s) => s.haveSnapshot);
  const { notifications } = useAttention();
  const known = useRef<ReadonlySet<string>>(undefined);
  const count = Object.keys(pending).length;
  useEffect(() => setFavicon(count), [count]);
  useEffect(() => {
    if (!ready) return;
    const before = known.current;
    known.current = new Set(Object.keys(pending));
    // What waited already when the page was opened is on the screen, and not new.
    const fresh = before ? Object.values(pending).filter((r) => !before.has(r.approvalId)) : [];
    if (fresh.length > 0 && attention().sound) playTone();
    if (attention().notifications) void tell(fresh, Object.keys(pending));
  }, [pending, ready]);
  useEffect(() => {
    if (!notifications) return;
    void startNotifications();
    return onAsked((asked) => take(asked, store, connection));
  }, [notifications, store, connection]);
  return null;
}

async function tell(fresh: readonly ApprovalRequest[], waiting: readonly string[]): Promise<void> {
  await withdraw(waiting);
  if (fresh.length > mostNamed) await notifyMany(waiting.length);
  else for (const request of fresh) await notify(request);
}

/** What a person has chosen on a notification: at most a no, to what the notification was about. */
function take(asked: Asked, store: Store, connection: Commands): boolean {
  const { pending, answers, identity, connection: line } = store.get();
  if (asked.kind === 'open') {
    go({ view: 'waiting', ...(asked.approvalId && { approvalId: asked.approvalId }) });
    return true;
  }
  if (asked.kind !== 'deny') return false; // whatever a worker of another version says
  const request = pending[asked.approvalId];
  if (!request || request.argsDigest !== asked.argsDigest) return false;
  if (line.phase !== 'online' || !may(identity, 'answer')) return false;
  const { approvalId, sessionId, argsDigest } = request;
  const answer = answers[approvalId];
  if (answer?.phase === 'sending') return answer.data.status === 'denied';
  connection.answer({ approvalId, sessionId, argsDigest, status: 'denied' });
  return true;
}
