import { Button, Loader } from '@mantine/core';
import { useStore } from '../store/store';
import { texts } from './texts';
import { Logo } from '../ui/Logo';
import { TokenLogin } from './TokenLogin';
import classes from './shell.module.css';
import frame from '../ui/page.module.css';

/** For whom the gateway does not know. */
export function LoginPage({ onRetry }: { onRetry: () => void }) {
  const login = useStore((s) => s.login);
  const trouble = useStore((s) => s.loginTrouble);
  if (login === 'unknown') {
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
            {trouble === undefined && <p>{t.body}</p>}
            {trouble === 'used' && <p role="alert">{t.used}</p>}
            {trouble === 'over' && <p role="alert">{t.over}</p>}
            {trouble === 'token' && <p role="alert">{t.tokenInAddress}</p>}
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
