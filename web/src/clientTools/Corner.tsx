import { ActionIcon } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useStore } from '../store/store';
import { LinkPlace } from '../ui/pointedLink';
import { texts } from '../words/texts';
import { ClientCalls } from './ClientCalls';
import classes from './corner.module.css';
import shared from '../ui/shared.module.css';

/**
 * Where text from agents shows up by itself: at the bottom of the list beside a
 * page. It must never cover an answer.
 */
export function Corner() {
  return (
    <div className={classes.corner}>
      <ClientCalls />
      <LinkPlace />
    </div>
  );
}

/** The header button to what agents ask of this page, for pages without the session list beside them. */
export function FromAgents({ onOpen }: { onOpen: () => void }) {
  const count = useStore((s) => s.clientCalls.length);
  const words = count > 0 ? texts.clientTools.waiting(count) : '';
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
