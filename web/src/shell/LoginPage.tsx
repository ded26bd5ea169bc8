import { Button, Loader } from '@mantine/core';
import type { State } from '../store/state';
import { useStore } from '../store/store';
import { texts } from './texts';
import { Logo } from '../ui/Logo';
import { Revealed } from '../ui/Revealed';
import { TokenLogin } from './TokenLogin';
import login from './login.module.css';
import classes from './shell.module.css';
import frame from '../ui/page.module.css';

/** For whom the gateway does not know. */
export function LoginPage({ onRetry }: { onRetry: () => void }) {
  const phase = useStore((s) => s.login);
  const trouble = useStore((s) => s.loginTrouble);
  const end = useStore((s) => s.loginEnd);
  if (phase === 'unknown') {
    return (
      <main className={`${frame.center} ${classes.page}`}>
        <Loader size="sm" aria-label={texts.login.loading} />
      </main>
    );
  }
  const t = texts.login;
  return (
    <main className={`${frame.center} ${classes.page}`}>
      <div className={frame.empty}>
        <Logo size={52} />
        <h1>{t.title}</h1>
        {trouble === 'unreachable' ? (
          <>
            <p role="alert">{t.unreachable}</p>
            <Button variant="default" onClick={onRetry}>
              {t.retry}
            </Button>
          </>
        ) : (
          <>
            <Why trouble={trouble} end={end} />
            <p>
              {t.example} <code className={frame.example}>{`${location.origin}/#login=…`}</code>
            </p>
            <TokenLogin onEnter={onRetry} />
          </>
        )}
      </div>
    </main>
  );
}

/** Why nobody is logged in here, as far as known, and what to do. */
function Why({ trouble, end }: { trouble: State['loginTrouble']; end: State['loginEnd'] }) {
  const t = texts.login;
  if (trouble === 'over' && !end) return <p role="alert">{t.over}</p>;
  if (trouble && trouble !== 'over' && trouble !== 'unreachable') {
    return <p role="alert">{texts.notByLink[trouble]}</p>;
  }
  return (
    <>
      {end && (
        <p role="alert" className={login.why}>
          <Revealed text={t.ended(end, Date.now())} />
        </p>
      )}
      <p>{t.body}</p>
    </>
  );
}
