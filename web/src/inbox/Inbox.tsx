import { IconInbox } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useRoute } from '../browser/route';
import { pendingCards } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { InboxFocus } from './InboxFocus';
import { InboxList } from './InboxList';
import classes from '../ui/page.module.css';
import { useFilter } from './useFilter';
import { useSelection } from './useSelection';

/** Every card that waits, of all sessions: as a list, or one at a time. */
export function Inbox() {
  const route = useRoute();
  const one = route.view === 'waiting' ? route.approvalId : undefined;
  // Many that come in at once are taken in together; what a card shows of its answer does not wait for that.
  const pending = useDeferredValue(useStore((s) => s.pending));
  const cards = useMemo(() => pendingCards({ pending }), [pending]);
  const filterState = useFilter(cards);
  const selection = useSelection();
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  if (one !== undefined) {
    return (
      <InboxFocus
        approvalId={one}
        cards={filterState.shown}
        about={filterState.about}
        skipped={skipped}
        onSkip={(id) => setSkipped(new Set([...skipped, id]))}
      />
    );
  }
  if (cards.length === 0) return <Nothing />;
  return <InboxList all={cards} filterState={filterState} selection={selection} />;
}

function Nothing() {
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
