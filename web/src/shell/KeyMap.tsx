import { useEffect, useState } from 'react';
import { useAlertSettings } from '../alerts/alertSettings';
import { isForPage } from '../browser/keyboard';
import { texts } from './texts';
import { KeySwitches } from '../alerts/NotificationSettings';
import classes from './keyMap.module.css';
import alertSettings from '../alerts/alertSettings.module.css';
import { Modal } from '../ui/dialogs';
import shared from '../ui/shared.module.css';

/** The list of keys, on "?". */
export function KeyMap() {
  const [open, setOpen] = useState(false);
  const { keys } = useAlertSettings();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || !keys || !isForPage(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [keys]);
  const t = texts.keys;
  return (
    <Modal
      opened={open}
      onClose={() => setOpen(false)}
      title={t.title}
      closeButtonProps={{ 'aria-label': t.close }}
    >
      <div className={alertSettings.keys} data-testid="keys">
        <dl className={classes.keyList}>
          {t.list.map(({ keys: names, does }) => (
            <div key={does}>
              <dt>
                {names.map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <p className={shared.note}>{t.note}</p>
        <KeySwitches />
      </div>
    </Modal>
  );
}
