import { UnstyledButton } from '@mantine/core';
import { IconTimeline } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatTime } from '../ui/clock';
import type { SessionEntry } from '../store/state';
import { texts } from './texts';
import { timelineEntries, type TimelineEntry } from './timelineEntries';
import { DrawerButton } from '../ui/DrawerButton';
import { VirtualList } from '../ui/VirtualList';
import { Revealed } from '../ui/Revealed';
import classes from './timeline.module.css';

interface Props {
  entry: SessionEntry;
  onGo: (item: string) => void;
}

/** What happened when. */
export function Timeline({ entry, onGo }: Props) {
  const [went, setWent] = useState(false); // then the focus is where they went
  const t = texts.timeline;
  return (
    <DrawerButton
      button={{
        className: classes.open ?? '',
        leftSection: <IconTimeline size={16} aria-hidden />,
        children: t.open,
      }}
      title={t.title}
      size={420}
      padding={0}
      returnFocus={!went}
      styles={{
        header: { padding: '0 16px' },
        content: { display: 'flex', flexDirection: 'column' },
        body: { flex: 1, minHeight: 0 },
      }}
      closeLabel={t.close}
      onOpen={() => setWent(false)}
    >
      {(close) => (
        <TimelineList
          entry={entry}
          onGo={(item) => {
            setWent(true);
            close();
            onGo(item);
          }}
        />
      )}
    </DrawerButton>
  );
}

const keyOf = (moment: TimelineEntry) => moment.key;

function TimelineList({ entry, onGo }: Props) {
  const { agentId } = entry.session;
  const entries = useMemo(() => timelineEntries(entry.events, agentId), [entry.events, agentId]);
  if (entries.length === 0) return <p className={classes.none}>{texts.timeline.empty}</p>;
  return (
    <div className={classes.scroll} data-scroller data-testid="timeline">
      <VirtualList
        items={entries}
        keyOf={keyOf}
        height={40}
        render={(moment) => <Line moment={moment} onGo={onGo} />}
      />
    </div>
  );
}

function Line({ moment, onGo }: { moment: TimelineEntry; onGo: (item: string) => void }) {
  const { item } = moment;
  const inside = (
    <>
      <time className={classes.at}>{formatTime(moment.at)}</time>
      <span className={classes.dot} aria-hidden />
      <span className={classes.text}>
        <Revealed text={moment.text} mode="prose" />
      </span>
    </>
  );
  const shown = { 'data-kind': moment.kind, 'data-tone': moment.tone };
  if (item === undefined) {
    return (
      <div className={classes.line} {...shown}>
        {inside}
      </div>
    );
  }
  return (
    <UnstyledButton className={classes.line} {...shown} onClick={() => onGo(item)}>
      {inside}
    </UnstyledButton>
  );
}
