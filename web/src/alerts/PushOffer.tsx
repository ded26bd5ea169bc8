import { Button } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from '../store/store';
import { Remark } from '../ui/Remark';
import { useFetched } from '../ui/useFetched';
import { may } from '../wire/wire';
import { texts } from '../words/texts';
import { setAlertSettings, useAlertSettings } from './alertSettings';
import { pushState, turnOnPush } from './push';
import classes from './pushOffer.module.css';

/** Offers to call a person who may answer, once in a browser, and where that is possible. */
export function PushOffer() {
  const answers = useStore((s) => may(s.identity, 'answer'));
  const { push, offered } = useAlertSettings();
  const [taken, setTaken] = useState(false);
  if (taken) {
    return (
      <p className={classes.taken} role="status">
        {texts.attention.offerTaken}
      </p>
    );
  }
  if (offered || push !== '' || !answers) return null;
  return <Offer onTaken={() => setTaken(true)} />;
}

function Offer({ onTaken }: { onTaken: () => void }) {
  const t = texts.attention;
  const subject = useStore((s) => s.identity?.subject ?? '');
  const { got: state } = useFetched('push offer', pushState);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const take = async () => {
    setBusy(true);
    const said = await turnOnPush(subject);
    if (said === '') onTaken();
    setTrouble(said);
    setBusy(false);
  };
  if (!state?.can) return null;
  return (
    <section className={classes.offer} aria-labelledby="push-offer" data-testid="push-offer">
      <IconBell size={20} stroke={1.8} className={classes.bell} aria-hidden />
      <div className={classes.words}>
        <h3 id="push-offer">{t.offer}</h3>
        <p>{t.offerNote}</p>
        {trouble && <Remark tone="error">{trouble}</Remark>}
      </div>
      <div className={classes.buttons}>
        <Button variant="default" disabled={busy} onClick={() => setAlertSettings({ offered: true })}>
          {t.offerLater}
        </Button>
        <Button loading={busy} onClick={() => void take()}>
          {t.offerTake}
        </Button>
      </div>
    </section>
  );
}
