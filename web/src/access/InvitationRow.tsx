import { Button } from '@mantine/core';
import { IconClock, IconMail } from '@tabler/icons-react';
import { ago, dayTime } from '../words/times';
import type { Invitation } from '../wire/wire';
import { texts } from './texts';
import { ConfirmButton } from './ConfirmButton';
import { Row } from './Row';
import classes from './access.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  invitation: Invitation;
  now: number;
  onAgain: () => void;
  onWithdraw: () => void;
}

/** An invitation: whom it is for, the role, who made it, and its state. */
export function InvitationRow({ invitation, now, onAgain, onWithdraw }: Props) {
  const t = texts.accessPage;
  const { subject, roles, agents, by, createdAt, state } = invitation;
  const open = state === 'open';
  const again = open ? t.newLink : t.inviteAgain;
  return (
    <Row
      testId="invitation"
      icon={<IconMail size={20} />}
      second={<Revealed text={t.invitedBy(by, ago(Date.parse(createdAt), now))} />}
      third={
        <span className={classes.state} data-state={state}>
          {!open && state !== 'used' && <IconClock size={16} aria-hidden />}
          <Revealed text={stateOf(invitation, now)} />
        </span>
      }
      actions={
        <>
          {state !== 'used' && (
            <Button size="xs" variant="default" aria-label={t.againLabel(again, subject)} onClick={onAgain}>
              {again}
            </Button>
          )}
          {open && (
            <ConfirmButton label={t.withdrawLabel(subject)} danger onConfirm={onWithdraw}>
              {t.withdraw}
            </ConfirmButton>
          )}
        </>
      }
    >
      <span className={classes.title}>
        <Revealed text={subject} />
      </span>{' '}
      <Revealed text={t.asRole(roles, agents)} />
    </Row>
  );
}

function stateOf({ state, expiresAt, endedAt, endedBy = '' }: Invitation, now: number): string {
  const t = texts.accessPage.links;
  const ended = dayTime(Date.parse(endedAt ?? expiresAt), now);
  switch (state) {
    case 'open':
      return t.open(dayTime(Date.parse(expiresAt), now));
    case 'used':
      return t.used(ended);
    case 'expired':
      return t.expired(ended);
    case 'void':
      return t.void;
    case 'withdrawn':
    case 'replaced':
      return t.withdrawn(endedBy, ended);
  }
}
