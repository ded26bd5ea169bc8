import {
  IconChartBar,
  IconHistory,
  IconInbox,
  IconListCheck,
  IconMessage,
  IconRobot,
  IconServer2,
  IconSettings,
  IconUsers,
} from '@tabler/icons-react';
import { HaltButton } from '../agents/HaltButton';
import { href, pages, type Page, type Route } from '../browser/route';
import { useStore } from '../store/store';
import { Logo } from '../ui/Logo';
import { Revealed } from '../ui/Revealed';
import { may } from '../wire/wire';
import { texts } from './texts';
import classes from './rail.module.css';
import shared from '../ui/shared.module.css';

const icons: Record<'approvals' | Page, typeof IconHistory> = {
  approvals: IconInbox,
  sessions: IconMessage,
  history: IconHistory,
  rules: IconListCheck,
  agents: IconRobot,
  access: IconUsers,
  statistics: IconChartBar,
  gateways: IconServer2,
  settings: IconSettings,
};

interface Props {
  route: Route;
  /** If it is in a drawer: closes that. */
  onNavigate?: () => void;
}

/** Links to every page, and the button to halt all agents. */
export function Rail({ route, onNavigate }: Props) {
  const waiting = useStore((s) => Object.keys(s.pending).length);
  const identity = useStore((s) => s.identity);
  const forAll = !identity?.agents?.length;
  const manages = may(identity, 'manage') && forAll;
  const cluster = useStore((s) => s.cluster) && forAll;
  const session = route.view === 'session' || route.view === 'new';
  const current = session ? 'sessions' : route.view;
  return (
    <nav
      className={classes.rail}
      aria-label={texts.pages.label}
      data-wide={onNavigate !== undefined || undefined}
      onClick={onNavigate && closeOnLink(onNavigate)}
    >
      {!onNavigate && (
        <a className={classes.logo} href="/" aria-label={texts.app}>
          <Logo />
        </a>
      )}
      <ul className={`${shared.bare} ${classes.pages}`}>
        {(['approvals', ...pages] as const).map((page) => {
          if ((page === 'access' && !manages) || (page === 'gateways' && !cluster)) return null;
          const Icon = icons[page];
          const count = page === 'approvals' ? waiting : 0;
          return (
            <li key={page} data-page={page}>
              <a
                className={`${shared.navItem} ${classes.page}`}
                href={href({ view: page })}
                aria-current={current === page ? 'page' : undefined}
              >
                <Icon size={20} stroke={1.7} aria-hidden />
                {texts.pages[page]}
                {count > 0 && (
                  <span className={classes.count}>
                    {' '}
                    {count > 999 ? '999+' : count}
                    <span className={shared.visuallyHidden}> {texts.nav.waitingCount}</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
      {identity && onNavigate && (
        <p className={classes.who}>
          <Revealed text={texts.nav.as(identity.subject)} />
        </p>
      )}
      <HaltButton className={classes.halt} />
    </nav>
  );
}

// Following a link closes the drawer, even if its page is already shown.
function closeOnLink(close: () => void) {
  return (e: React.MouseEvent) => {
    if ((e.target as Element).closest('a')) close();
  };
}
