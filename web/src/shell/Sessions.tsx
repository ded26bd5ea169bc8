import { useRoute } from '../browser/route';
import { InHeader } from '../ui/InHeader';
import { Logo } from '../ui/Logo';
import { useNarrow } from '../ui/useNarrow';
import { useStore } from '../store/store';
import { may } from '../wire/wire';
import { NewSession } from './NewSession';
import SessionList from './SessionList';
import { texts } from './texts';
import classes from './shell.module.css';
import frame from '../ui/page.module.css';

/** The list of sessions on a narrow screen; beside the list, how to start one. */
export default function Sessions() {
  const route = useRoute();
  const narrow = useNarrow();
  const talks = useStore((s) => may(s.identity, 'talk'));
  const some = useStore((s) => Object.keys(s.sessions).length > 0);
  const t = texts.home;
  return (
    <>
      <InHeader>
        <h1 className={frame.pageTitle}>{texts.pages.sessions}</h1>
      </InHeader>
      {narrow && some ? (
        <div className={classes.sideList}>
          <SessionList route={route} />
        </div>
      ) : (
        <div className={frame.center}>
          <div className={frame.empty}>
            <Logo size={48} />
            <h2>{some ? t.pick : texts.nav.empty}</h2>
            {talks && (
              <p>
                {t.hint} <code className={frame.example}>{t.example}</code>
              </p>
            )}
            {talks && <NewSession />}
          </div>
        </div>
      )}
    </>
  );
}
