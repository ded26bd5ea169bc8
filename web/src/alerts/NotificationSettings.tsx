import { Button, Switch } from '@mantine/core';
import { IconVolume } from '@tabler/icons-react';
import { useState } from 'react';
import { setAlertSettings, useAlertSettings } from './alertSettings';
import { playTone } from './sound';
import { texts } from '../words/texts';
import { turnOffPush } from './push';
import { PushSwitch } from './PushSwitch';
import { askForNotifications, endNotifications } from './systemNotifications';
import classes from './alertSettings.module.css';
import { Remark } from '../ui/Remark';

/** How this browser draws a person's attention. Everything here is off until it is turned on. */
export function NotificationSettings() {
  const { sound, notifications } = useAlertSettings();
  const [trouble, setTrouble] = useState('');
  const [asking, setAsking] = useState(false);
  const t = texts.attention;
  // The browser is asked only here, by the click on the switch.
  const notify = async (on: boolean) => {
    setTrouble('');
    if (!on) {
      try {
        await turnOffPush();
      } catch (error) {
        setTrouble((error as Error).message);
        return;
      }
      setAlertSettings({ notifications: false });
      await endNotifications();
      return;
    }
    setAsking(true);
    const said = await askForNotifications();
    setAsking(false);
    if (said === '') setAlertSettings({ notifications: true });
    else setTrouble(said);
  };
  return (
    <section className={classes.settings} aria-label={t.title} data-testid="notification-settings">
      <Switch
        label={t.notifications}
        description={t.notificationsNote}
        checked={notifications}
        disabled={asking}
        onChange={(e) => void notify(e.currentTarget.checked)}
      />
      {trouble && <Remark tone="error">{trouble}</Remark>}
      <PushSwitch />
      <div className={classes.soundRow}>
        <Switch
          label={t.sound}
          description={t.soundNote}
          checked={sound}
          onChange={(e) => {
            setAlertSettings({ sound: e.currentTarget.checked });
            if (e.currentTarget.checked) playTone();
          }}
        />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconVolume size={15} aria-hidden />}
          disabled={!sound}
          onClick={playTone}
        >
          {t.soundTry}
        </Button>
      </div>
      <KeySwitches />
    </section>
  );
}

/** Which single keys the page takes. */
export function KeySwitches() {
  const { keys, approveKey } = useAlertSettings();
  const t = texts.attention;
  return (
    <>
      <Switch
        label={t.keys}
        description={t.keysNote}
        checked={keys}
        onChange={(e) => setAlertSettings({ keys: e.currentTarget.checked })}
      />
      <Switch
        label={t.approveKey}
        description={t.approveKeyNote}
        checked={approveKey}
        disabled={!keys}
        onChange={(e) => setAlertSettings({ approveKey: e.currentTarget.checked })}
      />
    </>
  );
}
