import { Button, Loader, Switch } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useContext, useEffect, useState } from 'react';
import { api } from '../wire/api';
import { useReturnCount } from '../browser/useReturnCount';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import type { Grant } from '../wire/wire';
import { GrantItem } from './GrantItem';
import classes from './grants.module.css';
import shared from '../ui/shared.module.css';
import { RevokeResult } from './RevokeResult';
import { useRevoke } from './useRevoke';

/** What is remembered in every session. */
export function Remembered() {
  const [all, setAll] = useState(false);
  const { list: fetched, error, again } = useGrants(all);
  // What this tab has revoked is known before the list is fetched again.
  const known = useStore((s) => s.grants);
  const list = fetched?.map((g) => known[g.grantId] ?? g).filter((g) => all || !g.ended);
  const { busy, result, revoke } = useRevoke();
  const t = texts.grants;
  return (
    <section aria-labelledby="standing-title">
      <div className={classes.head}>
        <IconHistory size={18} aria-hidden />
        <h2 id="standing-title">{t.title}</h2>
        <span>{t.body}</span>
        <Switch
          className={classes.ended}
          size="xs"
          label={t.alsoEnded}
          checked={all}
          onChange={(e) => setAll(e.currentTarget.checked)}
        />
      </div>
      <RevokeResult result={result} />
      {error && (
        <p className={classes.result} data-failed role="alert">
          {t.failed(error)}{' '}
          <Button size="compact-sm" variant="default" onClick={again}>
            {t.retry}
          </Button>
        </p>
      )}
      {!list && !error && <Loader size="sm" aria-label={t.loading} />}
      {list?.length === 0 && (
        <div className={`${shared.panel} ${classes.none}`}>
          <h3>{t.empty}</h3>
          <p>{t.emptyBody}</p>
        </div>
      )}
      {list && list.length > 0 && (
        <ul className={`${shared.bare} ${shared.panel} ${classes.list}`}>
          {list.map((grant) => (
            <GrantItem
              key={grant.grantId}
              grant={grant}
              revoking={busy === grant.grantId}
              onRevoke={revoke}
              showSession
            />
          ))}
        </ul>
      )}
    </section>
  );
}

// Events come in crowds, and one look answers them all.
const settle = 120;
// What happens in sessions that this tab does not follow comes without an event.
const interval = 10_000;

/** The list, fetched again whenever it may be old. */
function useGrants(all: boolean): { list?: Grant[]; error?: string; again: () => void } {
  const store = useContext(StoreContext);
  const changes = useStore((s) => s.grantChanges);
  const online = useStore((s) => s.connection.phase === 'online');
  const returns = useReturnCount();
  const [tries, setTries] = useState(0);
  const [got, setGot] = useState<{ list?: Grant[]; error?: string }>();
  useEffect(() => {
    let stale = false;
    const look = async () => {
      try {
        const list = await api.grants(all);
        if (stale) return;
        store.dispatch({ type: 'grants', grants: list });
        setGot({ list });
      } catch (error) {
        if (!stale) setGot((old) => ({ ...old, error: (error as Error).message }));
      }
    };
    const timer = setTimeout(() => void look(), settle);
    const again = setInterval(() => {
      if (online && document.visibilityState === 'visible') void look();
    }, interval);
    return () => {
      stale = true;
      clearTimeout(timer);
      clearInterval(again);
    };
  }, [store, all, changes, online, returns, tries]);
  return { ...got, again: () => setTries((n) => n + 1) };
}
