import { Button, SegmentedControl, Switch, useMantineColorScheme } from '@mantine/core';
import { useContext } from 'react';
import { api } from '../wire/api';
import { setUnformatted, useUnformatted } from '../browser/messageFormat';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { NotificationSettings } from '../alerts/NotificationSettings';
import { Diagnostics } from './Diagnostics';
import { PageFrame } from '../ui/PageFrame';
import classes from './settings.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** What a person sets for this browser. */
export default function Settings() {
  const t = texts.settingsPage;
  return (
    <PageFrame title={t.title} note={t.body}>
      <section className={`${shared.panel} ${classes.setting}`} aria-labelledby="looks-title">
        <h2 className={`${frame.sectionTitle} ${classes.settingTitle}`} id="looks-title">
          {t.looks}
        </h2>
        <Looks />
      </section>
      <div className={`${shared.panel} ${classes.setting}`}>
        <h2 className={`${frame.sectionTitle} ${classes.settingTitle}`}>{texts.attention.title}</h2>
        <NotificationSettings />
      </div>
      <section className={`${shared.panel} ${classes.setting}`} aria-labelledby="login-title">
        <h2 className={`${frame.sectionTitle} ${classes.settingTitle}`} id="login-title">
          {t.login}
        </h2>
        <Login />
      </section>
      <Diagnostics />
    </PageFrame>
  );
}

function Looks() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const unformatted = useUnformatted();
  const t = texts.settingsPage;
  return (
    <div className={classes.settingRows}>
      <div className={classes.settingRow}>
        <span aria-hidden>{t.scheme}</span>
        <SegmentedControl
          aria-label={t.scheme}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
          data={Object.entries(t.schemes).map(([value, label]) => ({ value: value as 'auto', label }))}
        />
      </div>
      <Switch
        label={t.formatted}
        description={t.formattedNote}
        checked={!unformatted}
        onChange={(e) => setUnformatted(!e.currentTarget.checked)}
      />
    </div>
  );
}

function Login() {
  const store = useContext(StoreContext);
  const identity = useStore((s) => s.identity);
  const t = texts.settingsPage;
  const leave = async () => {
    try {
      await api.logout();
      location.reload(); // nothing of what was seen stays in the page
    } catch (error) {
      store.dispatch({ type: 'trouble', text: (error as Error).message });
    }
  };
  return (
    <div className={classes.settingRows}>
      <p className={frame.words}>
        <Revealed text={t.signedIn(identity?.subject ?? '', identity?.roles ?? [])} />
      </p>
      <div className={classes.settingRow}>
        <Button variant="default" onClick={() => void leave()}>
          {t.signOut}
        </Button>
        <span className={shared.note}>{t.signOutNote}</span>
      </div>
    </div>
  );
}
