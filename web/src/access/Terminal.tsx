import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { api } from '../wire/api';
import { formatTime } from '../ui/clock';
import { useRoute } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { useFetched } from '../ui/useFetched';
import classes from './access.module.css';
import shared from '../ui/shared.module.css';
import { Fetching, PageFrame } from '../ui/PageFrame';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

/** A terminal asks to log in as the person at this page, who allows or refuses it. */
export default function Terminal() {
  const route = useRoute();
  const code = route.view === 'terminal' ? route.code : '';
  const subject = useStore((s) => s.identity?.subject ?? '');
  const [hours, setHours] = useState('12');
  const [done, setDone] = useState('');
  const [trouble, setTrouble] = useState('');
  const t = texts.terminal;
  const { got, error, again } = useFetched(`terminal ${code}`, () => api.terminal(code));
  const answer = async (allow: boolean) => {
    setTrouble('');
    try {
      await api.answerTerminal(code, allow, Number(hours));
      setDone(allow ? t.allowed : t.refused);
    } catch (failure) {
      setTrouble((failure as Error).message);
    }
  };
  if (done) {
    return (
      <PageFrame title={t.title}>
        <Remark tone="quiet">{done}</Remark>
      </PageFrame>
    );
  }
  return (
    <PageFrame title={t.title}>
      <Fetching error={error} loading={!got && !error} again={again} />
      {got && (
        <div className={classes.terminal} data-testid="terminal">
          <p>
            <Revealed text={t.asks(got.name, subject)} mode="prose" />
          </p>
          <p className={classes.code} aria-label={t.codeLabel}>
            {got.userCode}
          </p>
          <p>{t.compare}</p>
          <ul className={`${shared.facts} ${classes.facts}`}>
            <li>{t.asked(formatTime(got.askedAt))}</li>
            <li>
              <Revealed text={t.from(got.address)} />
            </li>
          </ul>
          <SegmentedControl value={hours} onChange={setHours} data={t.terms} aria-label={t.termsLabel} />
          {trouble && (
            <Remark tone="error">
              <Revealed text={trouble} />
            </Remark>
          )}
          <div className={classes.buttons}>
            <Button variant="default" onClick={() => void answer(false)}>
              {t.refuse}
            </Button>
            <Button onClick={() => void answer(true)}>{t.allow}</Button>
          </div>
        </div>
      )}
    </PageFrame>
  );
}
