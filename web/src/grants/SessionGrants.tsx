import { Button, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmark } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTicking } from '../ui/clock';
import { grantsOf, liveGrants } from './liveGrants';
import type { SessionEntry } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { GrantItem } from './GrantItem';
import classes from './grants.module.css';
import { RevokeResult } from './RevokeResult';
import { useRevoke } from './useRevoke';

/**
 * What the session remembers: a count that is always in sight, and the list
 * behind it. The list lies over the page, so that it never moves a card.
 */
export function SessionGrants({ entry }: { entry: SessionEntry }) {
  const offset = useStore((s) => s.clockOffset);
  const all = useMemo(() => grantsOf(entry.events), [entry.events]);
  const timed = all.some((g) => !g.ended && g.expiresAt);
  const now = useTicking(timed);
  const live = liveGrants(all, now + offset);
  const [opened, { open, close }] = useDisclosure(false);
  const { busy, result, revoke } = useRevoke();
  const t = texts.grants;
  if (all.length === 0) return null;
  return (
    <>
      <Button
        variant="default"
        className={classes.open}
        leftSection={<IconBookmark size={16} aria-hidden />}
        aria-label={texts.session.rememberedLabel(live.length)}
        aria-haspopup="dialog"
        data-live={live.length > 0 || undefined}
        data-testid="remembered"
        onClick={open}
      >
        {texts.session.remembered(live.length)}
      </Button>
      <Drawer
        opened={opened}
        onClose={close}
        title={t.title}
        position="right"
        size={460}
        lockScroll={false}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <p className={classes.note}>{t.panelBody}</p>
        <RevokeResult result={result} />
        {live.length === 0 ? (
          <p className={classes.note}>{t.panelEmpty}</p>
        ) : (
          <ul className={classes.list}>
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
      </Drawer>
    </>
  );
}
