import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../wire/api';
import { texts } from './texts';
import classes from './login.module.css';
import access from '../access/access.module.css';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';

/** For who has a token and no link: it is sent once, and the browser keeps a login instead. */
export function TokenLogin({ onEnter }: { onEnter: () => void }) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const t = texts.login;
  const enter = async () => {
    setBusy(true);
    setError('');
    try {
      await api.login(token.trim());
      setToken('');
      onEnter();
    } catch (trouble) {
      setError(t.tokenRefused((trouble as Error).message));
    }
    setBusy(false);
  };
  return (
    <details className={classes.tokenLogin}>
      <summary>{t.byToken}</summary>
      <form
        className={access.form}
        onSubmit={(e) => {
          e.preventDefault();
          void enter();
        }}
      >
        <PasswordInput
          label={t.token}
          description={t.tokenHint}
          value={token}
          onChange={(e) => setToken(e.currentTarget.value)}
          autoComplete="off"
        />
        {error && (
          <Remark tone="error">
            <Revealed text={error} />
          </Remark>
        )}
        <Button type="submit" variant="default" disabled={busy || token.trim() === ''}>
          {t.enter}
        </Button>
      </form>
    </details>
  );
}
