import { useContext, useEffect, useRef } from 'react';
import { alertSettings, useAlertSettings } from './alertSettings';
import { useConnection, type Commands } from '../connection/context';
import { setBadge, setFavicon } from './favicon';
import { go } from '../browser/route';
import { playTone } from './sound';
import { StoreContext, useStore, type Store } from '../store/store';
import { may, type ApprovalRequest } from '../wire/wire';
import {
  notify,
  notifyMany,
  onNotificationAction,
  startNotifications,
  closeOthers,
  type NotificationAction,
} from './systemNotifications';

// With more at once, they are counted and not named.
const mostNamed = 3;

/** Draws attention to what is new: the tab's sign, a tone, a notification of the system. */
export function Alerts() {
  const store = useContext(StoreContext);
  const connection = useConnection();
  const pending = useStore((s) => s.pending);
  const ready = useStore((s) => s.haveSnapshot);
  const { notifications } = useAlertSettings();
  const known = useRef<ReadonlySet<string>>(undefined);
  const count = Object.keys(pending).length;
  useEffect(() => {
    setFavicon(count);
    setBadge(count);
  }, [count]);
  useEffect(() => {
    if (!ready) return;
    const before = known.current;
    known.current = new Set(Object.keys(pending));
    // What waited already when the page was opened is on the screen, and not new.
    const fresh = before ? Object.values(pending).filter((r) => !before.has(r.approvalId)) : [];
    if (fresh.length > 0 && alertSettings().sound) playTone();
    if (alertSettings().notifications) void tell(fresh, Object.keys(pending));
  }, [pending, ready]);
  useEffect(() => {
    if (!notifications) return;
    void startNotifications();
    return onNotificationAction((action) => take(action, store, connection));
  }, [notifications, store, connection]);
  return null;
}

async function tell(fresh: readonly ApprovalRequest[], waiting: readonly string[]): Promise<void> {
  await closeOthers(waiting);
  if (fresh.length > mostNamed) await notifyMany(waiting.length);
  else for (const request of fresh) await notify(request);
}

/** What a person has chosen on a notification: at most a no, to what the notification was about. */
function take(action: NotificationAction, store: Store, connection: Commands): boolean {
  const { pending, answers, identity, connection: line } = store.get();
  if (action.kind === 'open') {
    go({ view: 'approvals', ...(action.approvalId && { approvalId: action.approvalId }) });
    return true;
  }
  if (action.kind !== 'deny') return false; // whatever a worker of another version says
  const request = pending[action.approvalId];
  if (!request || request.argsDigest !== action.argsDigest) return false;
  if (line.phase !== 'online' || !may(identity, 'answer')) return false;
  const { approvalId, sessionId, argsDigest } = request;
  const answer = answers[approvalId];
  if (answer?.phase === 'sending') return answer.data.status === 'denied';
  connection.answer({ approvalId, sessionId, argsDigest, status: 'denied' });
  return true;
}
