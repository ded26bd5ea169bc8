import { MantineProvider } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Connection } from '../connection/connection';
import { ConnectionContext, DiagnosticsContext } from '../connection/context';
import { login, onLoginLink } from '../connection/login';
import { StoreContext, useStore, type Store } from '../store/store';
import { theme } from '../ui/theme';
import { LoginPage } from './LoginPage';
import { Shell } from './Shell';

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

export function App({ store }: { store: Store }) {
  const [connection] = useState(() => new Connection(store));
  useEffect(() => {
    const enter = () => void begin(store, connection);
    enter();
    const forget = onLoginLink(enter);
    return () => {
      forget();
      connection.stop();
    };
  }, [store, connection]);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
      <StoreContext value={store}>
        <ConnectionContext value={connection}>
          <DiagnosticsContext value={connection}>
            <Gate onRetry={() => void begin(store, connection)} />
          </DiagnosticsContext>
        </ConnectionContext>
      </StoreContext>
    </MantineProvider>
  );
}

function Gate({ onRetry }: { onRetry: () => void }) {
  const inside = useStore((s) => s.login === 'in');
  return inside ? <Shell /> : <LoginPage onRetry={onRetry} />;
}

async function begin(store: Store, connection: Connection): Promise<void> {
  const before = store.get().identity?.subject;
  if (!(await login(store))) return;
  // A line belongs to who has opened it.
  if (before !== undefined && before !== store.get().identity?.subject) connection.stop();
  connection.start();
}
