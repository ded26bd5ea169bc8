import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { href } from '../browser/route';
import { formOf } from '../question/form';
import { isFromProgram, isFromServer } from '../request/asker';
import { useStore } from '../store/store';
import { formatTime } from '../ui/clock';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';
import type { ApprovalRequest } from '../wire/wire';
import { CardDetails } from './CardDetails';
import { texts } from './texts';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';

/** Who asks, where and since when, in one line that expands to the details. */
export function FactsLine({ request, showSession }: { request: ApprovalRequest; showSession: boolean }) {
  const { sessionId, workingDirectory, sandbox, requestedAt, schema } = request;
  const entry = useStore((s) => s.sessions[sessionId]);
  const [open, setOpen] = useState(schema !== undefined && formOf(schema).kind === 'json');
  const id = useId();
  const asked = askedBy(request);
  const t = texts.card;
  return (
    <>
      <ul className={`${shared.bare} ${classes.facts}`}>
        {asked && (
          <li>
            <Revealed text={asked} />
          </li>
        )}
        {showSession && (
          <li>
            <a href={href({ view: 'session', sessionId })}>
              <Revealed text={entry ? sessionTitle(entry) : sessionId} mode="prose" />
            </a>
          </li>
        )}
        {workingDirectory && (
          <li>
            <code>
              <Revealed text={workingDirectory} />
            </code>
          </li>
        )}
        {sandbox && (
          <li data-open={sandbox.kind !== 'bubblewrap' || undefined}>
            {sandbox.kind === 'bubblewrap' ? t.inSandbox : t.noSandbox}
          </li>
        )}
        <li>{t.askedAt(formatTime(requestedAt))}</li>
        <li>
          <button
            type="button"
            className={`${shared.textButton} ${classes.more}`}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            {t.details}
            {open ? <IconChevronUp size={15} aria-hidden /> : <IconChevronDown size={15} aria-hidden />}
          </button>
        </li>
      </ul>
      {open && (
        <div id={id}>
          <CardDetails request={request} />
        </div>
      )}
    </>
  );
}

/** What the title doesn't say about who asks. */
function askedBy(request: ApprovalRequest): string {
  const { client, parent } = request.origin ?? {};
  if (isFromProgram(request)) return '';
  if (isFromServer(request)) return parent ?? '';
  return client || parent ? [parent || request.agentId, client].filter(Boolean).join(' · ') : '';
}
