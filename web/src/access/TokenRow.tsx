import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { dayTime } from '../words/times';
import type { Credential } from '../wire/wire';
import { texts } from './texts';
import { ConfirmButton } from './ConfirmButton';
import { LastUse } from './LastUse';
import { Roles } from './PersonCard';
import { Row } from './Row';
import classes from './access.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  token: Credential;
  now: number;
  onChange: () => void;
  onRevoke: () => void;
}

/** A token: its rights, and when and from where it was last used. */
export function TokenRow({ token, now, onChange, onRevoke }: Props) {
  const t = texts.accessPage;
  const { subject, agents, by, createdAt, expiresAt, usedAt, address } = token;
  const name = token.name ?? subject;
  const facts = [
    subject !== name && t.as(subject),
    t.agents(agents),
    t.made(by ?? '', dayTime(Date.parse(createdAt), now)),
    expiresAt ? t.until(dayTime(Date.parse(expiresAt), now)) : t.forever,
  ];
  return (
    <Row
      testId="token"
      icon={<IconKey size={20} />}
      second={<Revealed text={address ?? t.noAddress} />}
      third={<LastUse at={usedAt} now={now} />}
      actions={
        <>
          <Button size="xs" variant="default" aria-label={t.changeLabel(name)} onClick={onChange}>
            {t.change}
          </Button>
          <ConfirmButton label={t.revokeLabel(name)} danger onConfirm={onRevoke}>
            {t.revoke}
          </ConfirmButton>
        </>
      }
    >
      <span className={classes.title}>
        <Revealed text={name} />
      </span>
      <Roles of={token} />
      <p className={classes.facts}>
        <Revealed text={facts.filter(Boolean).join(' · ')} />
      </p>
    </Row>
  );
}
