import { useDisclosure } from '@mantine/hooks';
import { IconKeyOff, IconPlugConnectedX } from '@tabler/icons-react';
import { Suspense, useEffect, useState } from 'react';
import { useAgentsRefresh } from './useAgentsRefresh';
import { href, useRoute, type Route } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { HaltBanner } from '../agents/HaltBanner';
import { ObserveBanner } from '../agents/ObserveBanner';
import { ClientCalls } from '../clientTools/ClientCalls';
import { Corner } from '../clientTools/Corner';
import { Header } from './Header';
import { HeaderSlot } from '../ui/InHeader';
import { Inbox } from '../inbox/Inbox';
import { Announcer } from './Announcer';
import { Drawer, loadDialogs } from '../ui/dialogs';
import { Empty, PageLoading } from '../ui/PageFrame';
import { lazyPage } from './lazyPage';
import { Rail } from './Rail';
import shared from '../ui/shared.module.css';
import classes from './shell.module.css';
import { useNarrow } from '../ui/useNarrow';
import { UpdateBar } from './UpdateBar';

// Approvals come with the page; every other page when it is opened.
const Sessions = lazyPage(() => import('./Sessions'));
const SessionList = lazyPage(() => import('./SessionList'));
const SessionView = lazyPage(() => import('../session/SessionView'));
const NewSessionView = lazyPage(() => import('../session/NewSessionView'));
const Agents = lazyPage(() => import('../agents/Agents'));
const Rules = lazyPage(() => import('../policy/Rules'));
const History = lazyPage(() => import('../history/History'));
const Statistics = lazyPage(() => import('../statistics/Statistics'));
const Access = lazyPage(() => import('../access/Access'));
const Terminal = lazyPage(() => import('../access/Terminal'));
const Gateways = lazyPage(() => import('../gateways/Gateways'));
const Settings = lazyPage(() => import('../settings/Settings'));

const ofSessions = (route: Route) =>
  route.view === 'sessions' || route.view === 'session' || route.view === 'new';

/** The frame around every page: the rail, the header, and the list beside a session. */
export function Shell() {
  const route = useRoute();
  useAgentsRefresh();
  useEffect(() => {
    const later = setTimeout(() => void loadDialogs().catch(() => undefined), 5000); // so that none waits for it
    return () => clearTimeout(later);
  }, []);
  const [navOpen, nav] = useDisclosure(false);
  const halts = useStore((s) => s.halts);
  useEffect(nav.close, [halts]); // the page says what is halted
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  const narrow = useNarrow();
  const beside = !narrow && ofSessions(route);
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main" onClick={skip}>
        {texts.header.skip}
      </a>
      {!narrow && <Rail route={route} />}
      <div className={classes.column}>
        <Header navOpen={navOpen} onToggleNav={nav.toggle} slot={setSlot} bell={!beside} />
        <Bars />
        <div className={classes.body}>
          {beside && (
            <aside className={classes.side}>
              <div className={classes.sideList}>
                <Suspense>
                  <SessionList route={route} />
                </Suspense>
              </div>
              <Corner />
            </aside>
          )}
          <main className={classes.main} id="main" tabIndex={-1}>
            <HeaderSlot value={slot}>
              <Suspense fallback={<PageLoading />}>
                <View route={route} />
              </Suspense>
            </HeaderSlot>
          </main>
        </div>
      </div>
      <Drawer
        opened={navOpen}
        onClose={nav.close}
        title={texts.app}
        size={320}
        padding={0}
        closeButtonProps={{ 'aria-label': texts.header.closeNav }}
        styles={{ header: { padding: '0 16px' } }}
      >
        {!beside && <ClientCalls />}
        <Rail route={route} onNavigate={nav.close} />
      </Drawer>
      <Announcer />
    </div>
  );
}

/** Banners that everyone has to see, on every page. */
function Bars() {
  const offline = useStore((s) => s.connection.phase === 'offline');
  return (
    <div>
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

// A real link to #main would change the URL.
function skip(e: React.MouseEvent) {
  e.preventDefault();
  document.getElementById('main')?.focus();
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'approvals':
      return <Inbox />;
    case 'sessions':
      return <Sessions />;
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
    case 'gateways':
      return <Gateways />;
    case 'settings':
      return <Settings />;
    case 'unknown':
      return <NoSuchPage />;
  }
}

function NoSuchPage() {
  return (
    <Empty
      title={texts.unknown.title}
      body={<a href={href({ view: 'approvals' })}>{texts.unknown.link}</a>}
    />
  );
}
