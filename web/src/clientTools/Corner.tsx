import { ActionIcon } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useStore } from '../store/store';
import { LinkPlace } from '../ui/pointedLink';
import { texts } from '../words/texts';
import { ClientCalls } from './ClientCalls';
import classes from './corner.module.css';
import shared from '../ui/shared.module.css';

/**
 * The place of whatever comes by itself with words of agents in it: the foot of
 * the list beside a page. No words may lie over an answer.
 */
export function Corner() {
  return (
    <div className={classes.corner}>
      <ClientCalls />
      <LinkPlace />
    </div>
  );
}

/** Where no list stands beside the page, what agents ask of it is behind this button. */
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
