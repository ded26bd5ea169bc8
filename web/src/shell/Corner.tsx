import { ActionIcon } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { IconBell } from '@tabler/icons-react';
import { ClientCalls } from '../clientTools/ClientCalls';
import { useStore } from '../store/store';
import { LinkPlace } from '../ui/pointedLink';
import { texts } from './texts';
import classes from './corner.module.css';
import shared from '../ui/shared.module.css';

/** Whether the list of sessions is behind a button: then there is no room beside the page. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 820px)', undefined, { getInitialValueInEffect: false });
}

/**
 * The place of whatever comes by itself with words of agents in it. It is beside
 * the page and never over it: no words may lie over an answer.
 */
export function Corner() {
  return (
    <div className={classes.corner}>
      <Notes limit={4} />
      <ClientCalls />
      <LinkPlace />
    </div>
  );
}

/** Notes of what was decided. They stand in the flow, one line each on a narrow screen. */
export function Notes({ limit }: { limit: number }) {
  return (
    <Notifications className={classes.notes} withinPortal={false} limit={limit} transitionDuration={0} />
  );
}

/** On a narrow screen, what agents ask of this page is behind this button. */
export function FromAgents({ onOpen }: { onOpen: () => void }) {
  const narrow = useNarrow();
  const count = useStore((s) => s.clientCalls.length);
  if (!narrow) return null;
  const words = count > 0 ? texts.header.fromAgents(count) : '';
  return (
    <>
      <span className={shared.visuallyHidden} role="status">
        {words}
      </span>
      {count > 0 && (
        <ActionIcon
          className={classes.bell}
          variant="light"
          size="lg"
          onClick={onOpen}
          aria-label={words}
          data-testid="from-agents"
        >
          <IconBell size={17} aria-hidden />
          {count}
        </ActionIcon>
      )}
    </>
  );
}
