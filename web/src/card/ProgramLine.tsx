import { IconTerminal2 } from '@tabler/icons-react';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './card.module.css';
import { Revealed } from '../ui/Revealed';

/** Says of a request that a program made it, and as whom. Its name and its run are its own words; the login is not. */
export function ProgramLine({ request }: { request: ApprovalRequest }) {
  const { client = '', subject = '', run } = request.origin ?? {};
  const t = texts.program;
  const ruled = request.agentId && request.agentId !== 'external';
  return (
    <p className={classes.program} data-testid="program">
      <IconTerminal2 size={17} aria-hidden />
      <span>
        <Revealed text={t.origin(client, subject)} />
        {run && (
          <>
            {' '}
            <Revealed text={t.run(run)} />
          </>
        )}
        {ruled && (
          <>
            {' '}
            <Revealed text={t.rules(request.agentId)} />
          </>
        )}
      </span>
    </p>
  );
}
