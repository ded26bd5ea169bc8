import { Button, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { InHeader } from './InHeader';
import { texts } from '../words/texts';
import { Revealed } from './Revealed';
import classes from './page.module.css';
import shared from './shared.module.css';

interface Props {
  title: string;
  note?: string;
  actions?: ReactNode;
  wide?: boolean | 'full';
  children: ReactNode;
}

/** A page of its own: a heading, what it is for, and what it shows. */
export function PageFrame({ title, note, actions, wide = false, children }: Props) {
  return (
    // Focusable, so that the keyboard can scroll it.
    <div className={classes.scroll} data-scroller tabIndex={0} role="region" aria-label={title}>
      <div className={`${classes.column} ${wide === 'full' ? classes.full : wide ? classes.wide : ''}`}>
        <InHeader>
          <h1 className={classes.pageTitle}>{title}</h1>
        </InHeader>
        {(note || actions) && (
          <div className={`${shared.spread} ${classes.pageNote}`}>
            <p className={shared.note}>{note}</p>
            {actions}
          </div>
        )}
        {children}
      </div>
    </div>
  );
}

interface FetchingProps {
  error: string | undefined;
  loading: boolean;
  again: () => void;
}

/** That something is being fetched, or could not be. */
export function Fetching({ error, loading, again }: FetchingProps) {
  const t = texts.pages;
  if (error) {
    return (
      <p className={classes.failed} role="alert">
        <Revealed text={t.failed(error)} mode="prose" />{' '}
        <Button size="compact-sm" variant="default" onClick={again}>
          {t.retry}
        </Button>
      </p>
    );
  }
  return loading ? <Loader size="sm" aria-label={t.loading} /> : null;
}

/** A page that has not come yet. */
export function PageLoading() {
  return (
    <div className={classes.center}>
      <Loader size="sm" aria-label={texts.pages.loading} />
    </div>
  );
}

/** Where there is nothing to show, what would stand here. */
export function Empty({ icon, title, body }: { icon?: ReactNode; title: string; body?: ReactNode }) {
  return (
    <div className={`${classes.empty} ${classes.emptyPage}`}>
      {icon}
      <h2>{title}</h2>
      {body && <p>{body}</p>}
    </div>
  );
}
