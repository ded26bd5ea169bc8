import { texts } from '../words/texts';
import type { Calls, SessionStatus } from '../wire/wire';
import classes from './statusBadge.module.css';

/** A session's status, or what became of its calls, in colour and words. Nothing if unknown. */
export function StatusBadge({ status }: { status: SessionStatus | Calls | undefined }) {
  if (!status) return null;
  const word = typeof status === 'string' ? status : status.denied ? 'denied' : 'unanswered';
  return (
    <span className={classes.badge} data-status={word}>
      <span className={classes.dot} aria-hidden />
      {typeof status === 'string' ? texts.nav.status[status] : texts.nav.notDone(status)}
    </span>
  );
}
