import { Button, TextInput } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconKey, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import type { Credential } from '../wire/wire';
import { may } from '../wire/wire';
import { useStore } from '../store/store';
import { texts } from './texts';
import { useFetched } from '../ui/useFetched';
import { AccessDialog, invitation, type AccessTask } from './AccessDialog';
import { InvitationRow } from './InvitationRow';
import { has, peopleOf, searchPeople, type Person } from './people';
import { PersonCard } from './PersonCard';
import { TokenRow } from './TokenRow';
import { useActs } from './useActs';
import classes from './access.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Fetching, PageFrame } from '../ui/PageFrame';
import { Revealed } from '../ui/Revealed';

/** Who has access, with which rights. */
export default function Access() {
  const allowed = useStore((s) => may(s.identity, 'manage') && !s.identity?.agents?.length);
  const t = texts.accessPage;
  if (allowed) return <Allowed />;
  return (
    <PageFrame title={t.title}>
      <p>{t.noRight}</p>
    </PageFrame>
  );
}

type Everything = Awaited<ReturnType<typeof fetchAll>>;

async function fetchAll() {
  const [tokens, { logins, own }, links] = await Promise.all([api.tokens(), api.logins(), api.links()]);
  return { tokens, logins, own, links, now: Date.now() };
}

function Allowed() {
  const [task, setTask] = useState<AccessTask>();
  const [search, setSearch] = useState('');
  const t = texts.accessPage;
  const { got, error, again } = useFetched('access', fetchAll);
  useInterval(again, 15_000, { autoInvoke: true }); // people come and go
  const { result, act } = useActs(again);
  return (
    <PageFrame title={t.title} note={t.body} wide>
      <div className={classes.tools}>
        <TextInput
          className={classes.search}
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={(e) => setSearch(e.currentTarget.value)}
        />
        <Button
          variant="default"
          leftSection={<IconKey size={16} aria-hidden />}
          onClick={() => setTask({ make: 'token' })}
        >
          {t.newToken}
        </Button>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setTask({ make: 'link' })}>
          {t.invite}
        </Button>
      </div>
      <p
        className={classes.result}
        data-failed={result.failed || undefined}
        role={result.failed ? 'alert' : 'status'}
      >
        <Revealed text={result.text} />
      </p>
      <Fetching error={error} loading={!got && !error} again={again} />
      {got && <Shown all={got} search={search} act={act} onTask={setTask} />}
      {task && (
        <AccessDialog
          task={task}
          onClose={() => {
            setTask(undefined);
            again();
          }}
          onChange={(name, credentials, change) => {
            setTask(undefined);
            void act(t.changed(name), () => each(credentials, (c) => api.changeAccess(c, change)));
          }}
        />
      )}
    </PageFrame>
  );
}

interface ShownProps {
  all: Everything;
  search: string;
  act: ReturnType<typeof useActs>['act'];
  onTask: (task: AccessTask) => void;
}

function Shown({ all, search, act, onTask }: ShownProps) {
  const t = texts.accessPage;
  const { tokens, links, own, now } = all;
  const people = searchPeople(peopleOf(all.logins, own), search);
  const invited = links.filter((i) => has([i.subject, i.by], search));
  const programs = tokens.filter((c) => has([c.name, c.subject, c.address], search));
  const change = (name: string, credentials: readonly Credential[]) =>
    onTask({ change: { name, credentials } });
  const remove = ({ subject }: Person) => act(t.removed(subject), () => api.removePerson(subject));
  const signOut = (logins: readonly Credential[]) =>
    act(t.signedOut(logins.length), async () => {
      await each(logins, (login) => (login.id === own ? api.logout() : api.revokeAccess(login)));
      if (logins.some((login) => login.id === own)) location.reload(); // drops everything the page has loaded
    });
  const found = people.length + invited.length + programs.length;
  return (
    <>
      {found === 0 && <p className={shared.note}>{t.nothingFound}</p>}
      {people.length > 0 && (
        <div className={classes.heads} aria-hidden>
          <span>{t.browser}</span>
          <span>{t.address}</span>
          <span>{t.lastUsed}</span>
        </div>
      )}
      <div className={classes.people}>
        {people.map((person) => (
          <PersonCard
            key={person.subject}
            person={person}
            own={own}
            now={now}
            tokens={tokens}
            removes={removes(person, all)}
            onChange={() => change(person.subject, person.logins)}
            onRemove={() => void remove(person)}
            onSignOut={(logins) => void signOut(logins)}
          />
        ))}
      </div>
      <Section title={t.invitations} shown={invited.length > 0}>
        {invited.map((i) => (
          <InvitationRow
            key={i.id}
            invitation={i}
            now={now}
            onAgain={() =>
              void act('', async () =>
                onTask({ made: invitation(i.subject, await api.newLinkInPlaceOf(i.id)) }),
              )
            }
            onWithdraw={() => void act(t.withdrawn(i.subject), () => api.withdrawLink(i.id))}
          />
        ))}
      </Section>
      <Section title={t.tokens} shown={programs.length > 0 || search === ''} note={t.tokensBody}>
        {programs.map((token) => (
          <TokenRow
            key={token.id}
            token={token}
            now={now}
            onChange={() => change(nameOf(token), [token])}
            onRevoke={() => void act(t.revoked(nameOf(token)), () => api.revokeAccess(token))}
          />
        ))}
      </Section>
    </>
  );
}

const nameOf = (token: Credential) => token.name ?? token.subject;

// One by one. Skips those that end with another one in the list.
async function each(list: readonly Credential[], go: (c: Credential) => Promise<unknown>): Promise<void> {
  const ids = new Set(list.map((c) => c.id));
  for (const c of list) if (!c.from || !ids.has(c.from)) await go(c);
}

/** What ends with a person's access: all of it, not just what the search shows. */
function removes({ subject }: Person, { logins, tokens, links }: Everything): string {
  const own = <T extends { subject: string }>(list: readonly T[]) =>
    list.filter((one) => one.subject === subject);
  const open = own(links).filter((link) => link.state === 'open');
  return texts.accessPage.removes(subject, own(logins).length, own(tokens).length, open.length);
}

interface SectionProps {
  title: string;
  shown: boolean;
  note?: string;
  children: React.ReactNode[];
}

function Section({ title, shown, note, children }: SectionProps) {
  if (!shown) return null;
  return (
    <section className={frame.section} aria-label={title}>
      <h2 className={frame.sectionTitle}>{title}</h2>
      {note && <p className={`${shared.note} ${classes.sectionNote}`}>{note}</p>}
      {children.length > 0 && (
        <ul className={`${shared.bare} ${shared.panel} ${classes.card}`}>{children}</ul>
      )}
    </section>
  );
}
