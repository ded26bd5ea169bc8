import { Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKeyOff, IconPlugConnectedX } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useAgentsRefresh } from './useAgentsRefresh';
import { useRoute, type Route } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import { HaltBanner } from '../agents/HaltBanner';
import { ObserveBanner } from '../agents/ObserveBanner';
import { ClientCalls } from '../clientTools/ClientCalls';
import { Corner, Notes, useNarrow } from './Corner';
import { NewSessionView } from '../session/NewSessionView';
import { Header } from './Header';
import { Inbox } from '../inbox/Inbox';
import { Logo } from '../ui/Logo';
import { Nav, NewSession } from './Nav';
import { Announcer, Notices } from './Notices';
import { PageLoading } from '../ui/PageFrame';
import { lazyPage } from './lazyPage';
import { Remembered } from '../grants/Remembered';
import { SessionView } from '../session/SessionView';
import corner from './corner.module.css';
import shared from '../ui/shared.module.css';
import classes from './shell.module.css';
import frame from '../ui/page.module.css';
import { UpdateBar } from './UpdateBar';

// Pages that are seldom looked at come when they are.
const Agents = lazyPage(() => import('../agents/Agents'));
const Rules = lazyPage(() => import('../policy/Rules'));
const History = lazyPage(() => import('../history/History'));
const Statistics = lazyPage(() => import('../statistics/Statistics'));
const Access = lazyPage(() => import('../access/Access'));
const Terminal = lazyPage(() => import('../access/Terminal'));
const Settings = lazyPage(() => import('../settings/Settings'));
const Diagnostics = lazyPage(() => import('../settings/Diagnostics'));

export function Shell() {
  const route = useRoute();
  useAgentsRefresh();
  const [navOpen, nav] = useDisclosure(false);
  const narrow = useNarrow();
  const offline = useStore((s) => s.connection.phase === 'offline');
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main" onClick={skip}>
        {texts.header.skip}
      </a>
      <Header navOpen={navOpen} onToggleNav={nav.toggle} />
      <div className={classes.bars}>
        <UpdateBar />
        <LocalKeyBar />
        <HaltBanner />
        <ObserveBanner />
        {offline && (
          <div className={shared.banner} role="alert" data-testid="offline">
            <IconPlugConnectedX size={18} aria-hidden />
            <strong>{texts.connection.banner}</strong>
            <span>{texts.connection.bannerDetail}</span>
          </div>
        )}
      </div>
      <div className={classes.body}>
        <aside className={classes.side}>
          <div className={classes.sideNav}>
            <Nav route={route} />
          </div>
          {!narrow && <Corner />}
        </aside>
        <main className={classes.main} id="main" tabIndex={-1}>
          <Suspense fallback={<PageLoading />}>
            <View route={route} />
          </Suspense>
        </main>
      </div>
      {narrow && (
        <div className={corner.strip}>
          <Notes limit={1} />
        </div>
      )}
      <Drawer
        opened={navOpen}
        onClose={nav.close}
        title={texts.app}
        size={320}
        padding={0}
        closeButtonProps={{ 'aria-label': texts.header.closeNav }}
        styles={{ header: { padding: '0 16px' } }}
      >
        {narrow && <ClientCalls />}
        <Nav route={route} onNavigate={nav.close} />
      </Drawer>
      <Notices />
      <Announcer />
    </div>
  );
}

/** Programs of the gateway's user can answer: everybody who relies on answers has to know. */
function LocalKeyBar() {
  const answers = useStore((s) => s.localKeyAnswers);
  if (!answers) return null;
  return (
    <div className={shared.banner} role="status" data-testid="local-key">
      <IconKeyOff size={18} aria-hidden />
      <strong>{texts.localKey.title}</strong>
      <span>{texts.localKey.body}</span>
    </div>
  );
}

// The fragment of the address is the route, so the link moves the focus itself.
function skip(e: React.MouseEvent) {
  e.preventDefault();
  document.getElementById('main')?.focus();
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'waiting':
      return <Inbox />;
    case 'remembered':
      return <Remembered />;
    case 'session':
      return <SessionView key={route.sessionId} sessionId={route.sessionId} />;
    case 'new':
      return <NewSessionView key={route.agentId} agentId={route.agentId} />;
    case 'history':
      return <History />;
    case 'agents':
      return <Agents />;
    case 'rules':
      return <Rules />;
    case 'statistics':
      return <Statistics />;
    case 'access':
      return <Access />;
    case 'terminal':
      return <Terminal key={route.code} />;
    case 'settings':
      return <Settings />;
    case 'connection':
      return <Diagnostics />;
    case 'home':
      return <Home />;
  }
}

function Home() {
  const talks = useStore((s) => may(s.identity, 'talk'));
  const some = useStore((s) => Object.keys(s.sessions).length > 0);
  const waiting = useStore((s) => Object.keys(s.pending).length);
  return (
    <div className={frame.center}>
      <div className={frame.empty}>
        <Logo size={48} />
        <h1>{texts.home.title(waiting)}</h1>
        <p>{texts.home.body(waiting)}</p>
        {talks && (
          <p>
            {texts.home.hint} <code className={frame.example}>{texts.home.example}</code>
          </p>
        )}
        {talks && <NewSession />}
        {some && <p>{texts.home.pick}</p>}
      </div>
    </div>
  );
}
