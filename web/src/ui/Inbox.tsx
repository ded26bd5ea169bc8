import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useMemo } from 'react';
import { pendingCards } from '../store/state';
import { useStore } from '../store/store';
import { texts } from '../texts';
import type { ApprovalRequest } from '../wire';
import { ApprovalCard } from './ApprovalCard';
import session from './session.module.css';
import classes from './shell.module.css';
import { useSteadyOrder } from './useSteadyOrder';

/** Every card that waits, of all sessions, the riskiest first. */
export function Inbox() {
  const pending = useStore((s) => s.pending);
  const cards = useMemo(() => pendingCards({ pending }), [pending]);
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
  return <Cards cards={cards} />;
}

function Cards({ cards }: { cards: ApprovalRequest[] }) {
  const phase = useStore((s) => s.connection.phase);
  const { order, below, sort, area } = useSteadyOrder(cards);
  const place = `${phase}|${order.map((c) => c.approvalId).join()}`;
  return (
    <div className={session.scrollFrame} {...area}>
      <div className={classes.scroll}>
        <div className={classes.column}>
          <h1 className={classes.pageTitle}>{texts.inbox.title}</h1>
          <p className={classes.pageNote}>
            {texts.inbox.count(cards.length)}
            {cards.length > 1 && below === 0 && `, ${texts.inbox.sorted}`}
          </p>
          <div className={classes.cards}>
            {order.map((request) => (
              <ApprovalCard key={request.approvalId} request={request} place={place} showSession />
            ))}
          </div>
        </div>
      </div>
      {below > 0 && (
        <Button className={session.newest} size="xs" radius="xl" variant="default" onClick={sort}>
          {texts.inbox.unsorted(below)}
        </Button>
      )}
    </div>
  );
}
