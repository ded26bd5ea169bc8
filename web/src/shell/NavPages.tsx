import {
  IconActivity,
  IconBookmark,
  IconChartBar,
  IconHistory,
  IconKey,
  IconListCheck,
  IconRobot,
  IconSettings,
} from '@tabler/icons-react';
import { href, pages, type Page, type Route } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import classes from './nav.module.css';
import shared from '../ui/shared.module.css';

const icons: Record<Page, typeof IconHistory> = {
  history: IconHistory,
  remembered: IconBookmark,
  agents: IconRobot,
  rules: IconListCheck,
  statistics: IconChartBar,
  access: IconKey,
  settings: IconSettings,
  connection: IconActivity,
};

/** The pages beside the sessions. */
export function NavPages({ route }: { route: Route }) {
  const manages = useStore((s) => may(s.identity, 'manage') && !s.identity?.agents?.length);
  return (
    <ul className={`${shared.bare} ${classes.pages}`} aria-label={texts.pages.label}>
      {pages.map((page) => {
        if (page === 'access' && !manages) return null;
        const Icon = icons[page];
        return (
          <li key={page}>
            <a
              className={`${shared.navItem} ${classes.page}`}
              href={href({ view: page })}
              aria-current={route.view === page ? 'page' : undefined}
            >
              <Icon size={16} stroke={1.8} aria-hidden />
              {texts.pages[page]}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
