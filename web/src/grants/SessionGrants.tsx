import { IconBookmark } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTicking } from '../ui/clock';
import { grantsOf, liveGrants } from './liveGrants';
import type { SessionEntry } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { DrawerButton } from '../ui/DrawerButton';
import { GrantItem } from './GrantItem';
import classes from './grants.module.css';
import shared from '../ui/shared.module.css';
import { RevokeResult } from './RevokeResult';
import { useRevoke } from './useRevoke';

/** What the session remembers: a count that is always in sight, and the list behind it. */
export function SessionGrants({ entry }: { entry: SessionEntry }) {
  const offset = useStore((s) => s.clockOffset);
  const all = useMemo(() => grantsOf(entry.events), [entry.events]);
  const timed = all.some((g) => !g.ended && g.expiresAt);
  const now = useTicking(timed);
  const live = liveGrants(all, now + offset);
  const { busy, result, revoke } = useRevoke();
  const t = texts.grants;
  if (all.length === 0) return null;
  return (
    <DrawerButton
      button={{
        className: classes.open ?? '',
        leftSection: <IconBookmark size={16} aria-hidden />,
        children: texts.session.remembered(live.length),
        'aria-label': texts.session.rememberedLabel(live.length),
        'data-live': live.length > 0 || undefined,
        'data-testid': 'remembered',
      }}
      title={t.title}
      size={460}
      closeLabel={t.close}
    >
      {() => (
        <>
          <p className={`${shared.quiet} ${classes.note}`}>{t.panelBody}</p>
          <RevokeResult result={result} />
          {live.length === 0 ? (
            <p className={`${shared.quiet} ${classes.note}`}>{t.panelEmpty}</p>
          ) : (
            <ul className={`${shared.bare} ${shared.panel} ${classes.list}`}>
              {live.map((grant) => (
                <GrantItem
                  key={grant.grantId}
                  grant={grant}
                  revoking={busy === grant.grantId}
                  onRevoke={revoke}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </DrawerButton>
  );
}
