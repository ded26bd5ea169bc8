import { Button } from '@mantine/core';
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { texts } from './texts';
import classes from '../ui/page.module.css';

/** A page that is fetched when it is first looked at; where that fails, such as after an update, it says so. */
export function lazyPage<P = object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => load().catch(() => ({ default: Gone })));
}

function Gone() {
  return (
    <div className={classes.center}>
      <div className={classes.empty} role="alert">
        <p>{texts.pages.gone}</p>
        <Button variant="default" onClick={() => location.reload()}>
          {texts.update.reload}
        </Button>
      </div>
    </div>
  );
}
