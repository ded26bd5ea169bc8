import { Button } from '@mantine/core';
import { IconKey, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import type { Credential } from '../wire/wire';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import { useFetched } from '../ui/useFetched';
import { AccessDialog, type AccessTask } from './AccessDialog';
import { AccessEntry } from './AccessEntry';
import classes from './access.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Fetching, PageFrame } from '../ui/PageFrame';
import { Revealed } from '../ui/Revealed';

/** Who has access, with which rights. */
export default function Access() {
  const allowed = useStore((s) => may(s.identity, 'manage') && !s.identity?.agents?.length);
  const [task, setTask] = useState<AccessTask>();
  const [result, setResult] = useState({ text: '', failed: false });
  const t = texts.accessPage;
  const { got, error, again } = useFetched('access', async () => {
    const [tokens, logins] = await Promise.all([api.tokens(), api.logins()]);
    return { tokens, logins };
  });
  if (!allowed) {
    return (
      <PageFrame title={t.title}>
        <p>{t.noRight}</p>
      </PageFrame>
    );
  }
  const act = async (what: string, done: (what: string) => string, go: () => Promise<unknown>) => {
    try {
      await go();
      setResult({ text: done(what), failed: false });
    } catch (trouble) {
      setResult({ text: t.failed((trouble as Error).message), failed: true });
    }
    again();
  };
  const entry = (credential: Credential) => (
    <AccessEntry
      key={credential.id}
      credential={credential}
      all={got?.tokens ?? []}
      onChange={() => setTask({ change: credential })}
      onRevoke={() => void act(nameOf(credential), t.revoked, () => api.revokeAccess(credential))}
    />
  );
  const actions = (
    <span className={frame.actions}>
      <Button
        size="xs"
        leftSection={<IconUserPlus size={15} aria-hidden />}
        onClick={() => setTask({ make: 'link' })}
      >
        {t.invite}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconKey size={15} aria-hidden />}
        onClick={() => setTask({ make: 'token' })}
      >
        {t.newToken}
      </Button>
    </span>
  );
  return (
    <PageFrame title={t.title} note={t.body} actions={actions}>
      <p
        className={classes.result}
        data-failed={result.failed || undefined}
        role={result.failed ? 'alert' : 'status'}
      >
        <Revealed text={result.text} />
      </p>
      <Fetching error={error} loading={!got && !error} again={again} />
      {got && (
        <>
          <Section title={t.tokens} note={got.tokens.length === 0 ? t.noTokens : t.tokensBody}>
            {got.tokens.map(entry)}
          </Section>
          <Section title={t.logins} note={got.logins.length === 0 ? t.noLogins : undefined}>
            {got.logins.map(entry)}
          </Section>
        </>
      )}
      {task && (
        <AccessDialog
          task={task}
          onClose={() => {
            setTask(undefined);
            again();
          }}
          onChange={(credential, change) => {
            setTask(undefined);
            void act(nameOf(credential), t.changed, () => api.changeAccess(credential, change));
          }}
        />
      )}
    </PageFrame>
  );
}

export const nameOf = (credential: Credential) => credential.name ?? credential.subject;

function Section(props: { title: string; note: string | undefined; children: React.ReactNode }) {
  return (
    <section className={frame.section} aria-label={props.title}>
      <h2 className={frame.sectionTitle}>{props.title}</h2>
      {props.note && <p className={shared.note}>{props.note}</p>}
      <ul className={`${shared.list} ${classes.list}`}>{props.children}</ul>
    </section>
  );
}
