import { IconInbox } from '@tabler/icons-react';
import { useMemo } from 'react';
import { pendingCards } from '../store/state';
import { useStore } from '../store/store';
import { texts } from '../texts';
import { ApprovalCard } from './ApprovalCard';
import classes from './shell.module.css';

/** Every card that waits, of all sessions, oldest first. */
export function Inbox() {
  const state = useStore((s) => s.pending);
  const phase = useStore((s) => s.connection.phase);
  const cards = useMemo(() => pendingCards({ pending: state }), [state]);
  if (cards.length === 0) {
    return (
      <div className={classes.center}>
        <div className={classes.empty}>
          <IconInbox size={38} stroke={1.4} aria-hidden />
          <h1>{texts.inbox.empty}</h1>
          <p>{texts.inbox.emptyBody}</p>
        </div>
      </div>
    );
  }
  const place = `${phase}|${cards.map((c) => c.approvalId).join()}`;
  return (
    <div className={classes.scroll}>
      <div className={classes.column}>
        <h1 className={classes.pageTitle}>{texts.inbox.title}</h1>
        <p className={classes.pageNote}>{texts.inbox.count(cards.length)}</p>
        <div className={classes.cards}>
          {cards.map((request) => (
            <ApprovalCard key={request.approvalId} request={request} place={place} showSession />
          ))}
        </div>
      </div>
    </div>
  );
}
