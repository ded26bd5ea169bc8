import { MantineProvider } from '@mantine/core';
import { useEffect, useState } from 'react';
import { goToWanted, keepWanted } from '../browser/wanted';
import { Connection } from '../connection/connection';
import { ConnectionContext, DiagnosticsContext } from '../connection/context';
import { login, onLoginLink } from '../connection/login';
import { StoreContext, useStore, type Store } from '../store/store';
import { theme } from '../ui/theme';
import { LinkPage } from './LinkPage';
import { LoginPage } from './LoginPage';
import { Shell } from './Shell';

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

export function App({ store }: { store: Store }) {
  const [connection] = useState(() => new Connection(store));
  const [begin] = useState(() => beginner(store, connection));
  useEffect(() => {
    const enter = () => void begin();
    enter();
    const forget = onLoginLink(enter);
    return () => {
      forget();
      connection.stop();
    };
  }, [begin, connection]);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
      <StoreContext value={store}>
        <ConnectionContext value={connection}>
          <DiagnosticsContext value={connection}>
            <Gate onRetry={() => void begin()} />
          </DiagnosticsContext>
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>
  );
}

function Gate({ onRetry }: { onRetry: () => void }) {
  const inside = useStore((s) => s.login === 'in');
  const link = useStore((s) => s.link);
  if (link) return <LinkPage link={link} onDone={onRetry} />;
  return inside ? <Shell /> : <LoginPage onRetry={onRetry} />;
}

/** Finds out who is here and opens the line; as often as that may have changed. */
function beginner(store: Store, connection: Connection): () => Promise<void> {
  let whose = '';
  return async () => {
    const inside = await login(store);
    if (store.get().login === 'out') keepWanted();
    if (!inside || store.get().link) return;
    goToWanted();
    const now = JSON.stringify(store.get().identity);
    if (whose && whose !== now) connection.stop(); // a line belongs to who has opened it
    whose = now;
    connection.start();
  };
}
