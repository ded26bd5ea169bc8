import { Button } from '@mantine/core';
import { IconDeviceLaptop, IconDeviceMobile, IconTerminal2 } from '@tabler/icons-react';
import { useState } from 'react';
import { dayTime } from '../words/times';
import type { Credential } from '../wire/wire';
import { texts } from './texts';
import type { Person, Rights } from './people';
import { ConfirmButton } from './ConfirmButton';
import { LastUse } from './LastUse';
import { Row } from './Row';
import classes from './access.module.css';
import shared from '../ui/shared.module.css';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

interface Props {
  person: Person;
  own: string | undefined; // the viewer's login
  now: number;
  tokens: readonly Credential[]; // some logins were made with one
  removes: string; // what ends with the person's access
  onChange: () => void;
  onRemove: () => void;
  onSignOut: (logins: readonly Credential[]) => void;
}

/** A person, their rights and their logins. */
export function PersonCard({ person, own, now, tokens, removes, onChange, onRemove, onSignOut }: Props) {
  const t = texts.accessPage;
  const { subject, logins, mine, rights } = person;
  const [removing, setRemoving] = useState(false);
  const others = logins.filter((login) => login.id !== own);
  return (
    <section className={`${shared.panel} ${classes.card}`} aria-label={subject} data-testid="person">
      <div className={classes.person}>
        <span className={classes.initial} aria-hidden>
          {[...subject][0]}
        </span>
        <div className={classes.who}>
          <h2 className={classes.name}>
            <Revealed text={subject} />
            {rights && <Roles of={rights} />}
          </h2>
          <p className={shared.note}>
            <Revealed text={rights ? t.agentsOf(rights.agents) : t.differentRights} />
          </p>
        </div>
        <div className={classes.buttons}>
          {mine && others.length > 0 && (
            <ConfirmButton onConfirm={() => onSignOut(others)}>
              {t.signOutOthers(others.length)}
            </ConfirmButton>
          )}
          {!mine && (
            <>
              <Button size="xs" variant="default" aria-label={t.changeLabel(subject)} onClick={onChange}>
                {t.change}
              </Button>
              <Button
                size="xs"
                variant="default"
                c="var(--lc-no)"
                aria-label={t.removeLabel(subject)}
                aria-expanded={removing}
                onClick={() => setRemoving(!removing)}
              >
                {t.remove}
              </Button>
            </>
          )}
        </div>
      </div>
      {removing && (
        <div className={classes.removing}>
          <Remark tone="error">
            <Revealed text={removes} />
          </Remark>
          <div className={classes.buttons}>
            <Button size="xs" variant="default" onClick={() => setRemoving(false)}>
              {t.cancel}
            </Button>
            <Button size="xs" color="red.9" onClick={onRemove}>
              <Revealed text={t.removeSurely(subject)} />
            </Button>
          </div>
        </div>
      )}
      <ul className={shared.bare}>
        {logins.map((login) => (
          <LoginRow
            key={login.id}
            login={login}
            here={login.id === own}
            apart={!rights}
            token={tokens.find((one) => one.id === login.from)}
            now={now}
            onSignOut={() => onSignOut([login])}
          />
        ))}
      </ul>
    </section>
  );
}

export function Roles({ of: { roles } }: { of: Rights }) {
  return roles.map((role) => (
    <span key={role} className={classes.tag}>
      <Revealed text={texts.accessPage.role(role)} />
    </span>
  ));
}

interface LoginProps {
  login: Credential;
  here: boolean;
  apart: boolean; // the person's logins differ in rights, so each shows its own
  token: Credential | undefined;
  now: number;
  onSignOut: () => void;
}

function LoginRow({ login, here, apart, token, now, onSignOut }: LoginProps) {
  const t = texts.accessPage;
  const { kind, name, browser, address, usedAt, createdAt, expiresAt, agents } = login;
  const what = (kind === 'terminal' ? name : browser) ?? t.someBrowser;
  const facts = [
    t.since(dayTime(Date.parse(createdAt), now)),
    expiresAt && t.until(dayTime(Date.parse(expiresAt), now)),
    token && t.byToken(token.name ?? token.subject),
    apart && t.agents(agents),
  ];
  return (
    <Row
      testId="login"
      icon={iconOf(login)}
      second={<Revealed text={address ?? t.noAddress} />}
      third={<LastUse at={usedAt} now={now} />}
      actions={
        <ConfirmButton label={t.signOutLabel(what)} onConfirm={onSignOut}>
          {t.signOut}
        </ConfirmButton>
      }
    >
      <span className={classes.title}>
        <Revealed text={what} />
      </span>
      {here && <span className={`${classes.tag} ${classes.here}`}>{t.thisBrowser}</span>}
      {kind === 'terminal' && <span className={classes.tag}>{t.terminal}</span>}
      {apart && <Roles of={login} />}
      <p className={classes.facts}>
        <Revealed text={facts.filter(Boolean).join(' · ')} />
      </p>
    </Row>
  );
}

function iconOf({ kind, browser = '' }: Credential) {
  if (kind === 'terminal') return <IconTerminal2 size={20} />;
  return /iPhone|iPad|Android/.test(browser) ? (
    <IconDeviceMobile size={20} />
  ) : (
    <IconDeviceLaptop size={20} />
  );
}
