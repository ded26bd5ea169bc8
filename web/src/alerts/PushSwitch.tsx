import { Switch } from '@mantine/core';
import { useState } from 'react';
import { useStore } from '../store/store';
import { Remark } from '../ui/Remark';
import { useFetched } from '../ui/useFetched';
import { may } from '../wire/wire';
import { texts } from '../words/texts';
import { useAlertSettings } from './alertSettings';
import { pushState, renewPush, turnOffPush, turnOnPush } from './push';

/** Whether notifications come while no page is open, too. Where they can't, it says why. */
export function PushSwitch() {
  const t = texts.attention;
  const subject = useStore((s) => s.identity?.subject ?? '');
  const answers = useStore((s) => may(s.identity, 'answer'));
  const { push } = useAlertSettings();
  const on = push !== '' && push === subject;
  const { got: state } = useFetched(`push ${push}`, () => (on ? renewPush().then(pushState) : pushState()));
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState('');
  const turn = async (wanted: boolean) => {
    setBusy(true);
    setTrouble('');
    if (wanted) setTrouble(await turnOnPush(subject));
    else await turnOffPush().catch((error: unknown) => setTrouble((error as Error).message));
    setBusy(false);
  };
  const why = answers ? state && !state.can && state.why : t.pushRole;
  return (
    <>
      <Switch
        label={t.push}
        description={why || t.pushNote}
        checked={on && !why}
        disabled={busy || !state?.can || !answers}
        onChange={(e) => void turn(e.currentTarget.checked)}
      />
      {trouble && <Remark tone="error">{trouble}</Remark>}
      {on && !busy && state?.can && !state.active && <Remark tone="warn">{t.pushInactive}</Remark>}
    </>
  );
}
