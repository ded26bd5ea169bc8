import { Button } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { statusOf } from '../store/state';
import { may } from '../wire/wire';
import { texts } from './texts';
import { PushOffer } from '../alerts/PushOffer';
import frame from '../ui/page.module.css';
import classes from './inbox.module.css';

/** Shown when nothing waits: that all is well, and how many agents are at work. */
export function NothingWaits() {
  const talks = useStore((s) => may(s.identity, 'talk'));
  const agents = useStore((s) => {
    const busy = Object.values(s.sessions).filter((e) => statusOf(e, 0) === 'active');
    return new Set(busy.map((e) => e.session.agentId)).size;
  });
  const own = useStore((s) => s.agents)?.filter((a) => a.kind !== 'external'); // nobody can talk to a program
  const only = own?.length === 1 ? own[0]?.agentId : undefined;
  const t = texts.inbox;
  return (
    <div className={`${frame.center} ${classes.nothing}`}>
      <div className={frame.empty}>
        <IconInbox size={38} stroke={1.4} aria-hidden />
        <h2>{t.empty}</h2>
        <p>{t.emptyBody(agents)}</p>
        {talks && (
          <>
            <p>
              {texts.home.hint} <code className={frame.example}>{texts.home.example}</code>
            </p>
            <Button component="a" href={href(only ? { view: 'new', agentId: only } : { view: 'sessions' })}>
              {texts.nav.newSession}
            </Button>
          </>
        )}
      </div>
      <PushOffer />
    </div>
  );
}
