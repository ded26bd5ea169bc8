import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatTime } from '../ui/clock';
import type { Credential } from '../wire/wire';
import { texts } from './texts';
import classes from './access.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  credential: Credential;
  all: Credential[]; // the tokens, by one of which a login may have begun
  onChange: () => void;
  onRevoke: () => void;
}

/** One token or login: whose it is, what it may, how long, and the way to end it. */
export function AccessEntry({ credential, all, onChange, onRevoke }: Props) {
  const t = texts.accessPage;
  const { kind, name, subject, roles, agents, by, from, createdAt, expiresAt } = credential;
  const [sure, setSure] = useState(false); // the second press revokes
  const title = name ?? subject;
  const token = from && all.find((c) => c.id === from);
  return (
    <li className={`${shared.panel} ${classes.entry}`} data-testid="access">
      <div className={classes.text}>
        <div className={classes.who}>
          <Revealed text={title} />
          {kind === 'terminal' && <span className={classes.role}>{t.terminal}</span>}
          {roles.map((role) => (
            <span key={role} className={classes.role}>
              <Revealed text={t.role(role)} />
            </span>
          ))}
        </div>
        <ul className={`${shared.facts} ${classes.facts}`}>
          {subject !== title && (
            <li>
              <Revealed text={t.as(subject)} />
            </li>
          )}
          <li>
            <Revealed text={t.agents(agents)} />
          </li>
          <li>
            <Revealed
              text={
                kind === 'token' && by ? t.made(by, formatTime(createdAt)) : t.since(formatTime(createdAt))
              }
            />
          </li>
          {token && (
            <li>
              <Revealed text={t.byToken(token.name ?? token.subject)} />
            </li>
          )}
          <li>{expiresAt ? t.until(formatTime(expiresAt)) : t.forever}</li>
        </ul>
      </div>
      <div className={classes.buttons}>
        <Button size="xs" variant="default" aria-label={t.changeLabel(title)} onClick={onChange}>
          {t.change}
        </Button>
        <Button
          size="xs"
          variant={sure ? 'filled' : 'default'}
          color={sure ? 'red' : undefined}
          aria-label={sure ? undefined : t.revokeLabel(title)}
          onClick={() => (sure ? onRevoke() : setSure(true))}
          onBlur={() => setSure(false)}
        >
          {sure ? t.sure : t.revoke}
        </Button>
      </div>
    </li>
  );
}
