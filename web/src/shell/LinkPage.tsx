import { Button } from '@mantine/core';
import { useContext, useState } from 'react';
import { useLink as logInBy } from '../connection/login';
import { StoreContext, useStore } from '../store/store';
import type { GoodLink, LinkTrouble, State } from '../store/state';
import { texts } from './texts';
import { Logo } from '../ui/Logo';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import classes from './shell.module.css';
import frame from '../ui/page.module.css';

interface Props {
  link: NonNullable<State['link']>;
  onDone: () => void;
}

/** What opening a login link shows. Nobody is logged in or replaced without a press. */
export function LinkPage({ link, onDone }: Props) {
  const store = useContext(StoreContext);
  const leave = () => {
    store.dispatch({ type: 'link' });
    onDone();
  };
  return (
    <main className={`${frame.center} ${classes.page}`}>
      <div className={frame.empty} data-testid="link">
        <Logo size={52} />
        {'trouble' in link ? (
          <Over trouble={link.trouble} onLeave={leave} />
        ) : (
          <Question link={link} onDone={onDone} onLeave={leave} />
        )}
      </div>
    </main>
  );
}

/** The link doesn't work; whoever is logged in stays logged in. */
function Over({ trouble, onLeave }: { trouble: LinkTrouble; onLeave: () => void }) {
  const t = texts.login;
  const here = useStore((s) => s.identity?.subject ?? '');
  return (
    <>
      <h1>{t.noLink}</h1>
      <p role="alert">{texts.notByLink[trouble]}</p>
      <Button onClick={onLeave}>
        <Revealed text={t.stay(here)} />
      </Button>
    </>
  );
}

interface QuestionProps {
  link: GoodLink;
  onDone: () => void;
  onLeave: () => void;
}

/** Asks whether to log in. */
function Question({ link, onDone, onLeave }: QuestionProps) {
  const store = useContext(StoreContext);
  const here = useStore((s) => (s.login === 'in' ? s.identity : undefined));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const t = texts.login;
  const { subject, roles, agents } = link.identity;
  const enter = async () => {
    setBusy(true);
    try {
      await logInBy(store, link.token);
      onDone();
    } catch (trouble) {
      setError((trouble as Error).message);
      setBusy(false);
    }
  };
  return (
    <>
      <h1>
        <Revealed text={t.asWhom(subject, roles)} />
      </h1>
      {agents && agents.length > 0 && (
        <p>
          <Revealed text={t.onlyAgents(agents.join(', '))} />
        </p>
      )}
      <p>
        <Revealed text={here ? t.hereAs(here.subject, subject) : t.onlyIfYours} />
      </p>
      {error && (
        <Remark tone="error">
          <Revealed text={t.tokenRefused(error)} />
        </Remark>
      )}
      <Button disabled={busy} onClick={() => void enter()}>
        <Revealed text={t.enterAs(subject)} />
      </Button>
      <Button variant="subtle" color="gray" disabled={busy} onClick={onLeave}>
        <Revealed text={here ? t.stay(here.subject) : t.notNow} />
      </Button>
    </>
  );
}
