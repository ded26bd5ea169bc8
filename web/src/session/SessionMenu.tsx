import { ActionIcon, Button, Menu, Modal } from '@mantine/core';
import {
  IconArrowBackUp,
  IconCode,
  IconDoorExit,
  IconDots,
  IconFileText,
  IconJson,
} from '@tabler/icons-react';
import { useContext, useState } from 'react';
import { WithdrawDialog } from '../agents/Withdraw';
import { api } from '../wire/api';
import { asMarkdown, fileName, wholeJournal } from './exportSession';
import { download } from '../ui/download';
import { pretty } from '../wire/json';
import { setUnformatted, useUnformatted } from '../browser/messageFormat';
import type { SessionEntry } from '../store/state';
import { StoreContext, useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import classes from './session.module.css';
import shared from '../ui/shared.module.css';
import { sessionTitle } from '../ui/sessionTitle';

interface Props {
  entry: SessionEntry;
  ended: boolean;
  waiting: number; // requests, also those below it
}

/** What can be done with a session beside talking: take it along, see it as written, end it. */
export function SessionMenu({ entry, ended, waiting }: Props) {
  const store = useContext(StoreContext);
  const talks = useStore((s) => may(s.identity, 'talk'));
  const unformatted = useUnformatted();
  const [busy, setBusy] = useState(false);
  const answers = useStore((s) => may(s.identity, 'answer'));
  const [withdrawing, setWithdrawing] = useState(false);
  const [ending, setEnding] = useState(false);
  const [said, setSaid] = useState('');
  const { session } = entry;
  const t = texts.sessionMenu;
  const attempt = async (act: () => Promise<string>) => {
    setBusy(true);
    setSaid('');
    try {
      setSaid(await act());
    } catch (error) {
      store.dispatch({ type: 'trouble', text: t.failed((error as Error).message) });
    }
    setBusy(false);
  };
  const take = (ending: 'json' | 'md') =>
    attempt(async () => {
      const events = await wholeJournal(session.sessionId);
      const title = sessionTitle({ ...entry, events });
      const now = new Date().toISOString();
      const content =
        ending === 'json' ? `${pretty({ session, events })}\n` : asMarkdown(session, title, events, now);
      const type = ending === 'json' ? 'application/json' : 'text/markdown';
      download(fileName(title, ending), new Blob([content], { type: `${type};charset=utf-8` }));
      return t.exported(events.length);
    });
  const end = () =>
    attempt(async () => {
      await api.endSession(session.sessionId);
      return '';
    }).then(() => setEnding(false));
  return (
    <>
      <Menu position="bottom-end" width={300}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} radius="md" loading={busy} aria-label={t.open}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconFileText size={16} aria-hidden />} onClick={() => void take('md')}>
            {t.markdown}
          </Menu.Item>
          <Menu.Item leftSection={<IconJson size={16} aria-hidden />} onClick={() => void take('json')}>
            {t.json}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCode size={16} aria-hidden />}
            onClick={() => setUnformatted(!unformatted)}
          >
            {unformatted ? t.formatted : t.plain}
          </Menu.Item>
          {answers && waiting > 0 && (
            <Menu.Item
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              onClick={() => setWithdrawing(true)}
            >
              {t.withdraw}
            </Menu.Item>
          )}
          {talks && !ended && session.kind === 'agent' && (
            <Menu.Item leftSection={<IconDoorExit size={16} aria-hidden />} onClick={() => setEnding(true)}>
              {t.end}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <span className={shared.visuallyHidden} role="status">
        {busy ? t.busy : said}
      </span>
      <WithdrawDialog
        which={{ sessionId: session.sessionId }}
        count={waiting}
        opened={withdrawing}
        onClose={() => setWithdrawing(false)}
      />
      <EndDialog opened={ending} busy={busy} onEnd={() => void end()} onLeave={() => setEnding(false)} />
    </>
  );
}

interface EndProps {
  opened: boolean;
  busy: boolean;
  onEnd: () => void;
  onLeave: () => void;
}

/** Says what it means to end a session before it is done. */
function EndDialog({ opened, busy, onEnd, onLeave }: EndProps) {
  const t = texts.sessionMenu;
  return (
    <Modal opened={opened} onClose={onLeave} title={t.endTitle} closeButtonProps={{ 'aria-label': t.close }}>
      <p className={classes.dialogWords}>{t.endBody}</p>
      <div className={`${shared.buttons} ${classes.dialogButtons}`}>
        <Button variant="default" data-autofocus onClick={onLeave}>
          {t.endNo}
        </Button>
        <Button variant="light" color="red" loading={busy} onClick={onEnd}>
          {t.endYes}
        </Button>
      </div>
    </Modal>
  );
}
