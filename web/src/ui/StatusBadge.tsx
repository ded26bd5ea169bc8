import { texts } from '../words/texts';
import type { SessionStatus } from '../wire/wire';
import classes from './statusBadge.module.css';

/** A session's status: a colour, and always the word too. Nothing where it is not known. */
export function StatusBadge({ status }: { status: SessionStatus | undefined }) {
  if (!status) return null;
  return (
    <span className={classes.badge} data-status={status}>
      <span className={classes.dot} aria-hidden />
      {texts.nav.status[status]}
    </span>
  );
}
