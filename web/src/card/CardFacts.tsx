import type { ReactNode } from 'react';
import { describeRule } from '../request/rule';
import { isFromProgram, isFromServer } from '../request/asker';
import { formatTime } from '../ui/clock';
import { formOf } from '../question/form';
import { pretty } from '../wire/json';
import { href } from '../browser/route';
import { useStore } from '../store/store';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './card.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { sessionTitle } from '../ui/sessionTitle';

/** Where, why and by whom it is asked. */
export function CardFacts({ request, showSession }: { request: ApprovalRequest; showSession: boolean }) {
  const t = texts.card;
  const entry = useStore((s) => s.sessions[request.sessionId]);
  const { policy, preview, metadata } = request;
  const asked = askedBy(request);
  return (
    <dl className={classes.facts}>
      {showSession && (
        <Fact name={t.session}>
          <a href={href({ view: 'session', sessionId: request.sessionId })}>
            <Revealed text={entry ? sessionTitle(entry) : request.sessionId} mode="prose" />
          </a>
        </Fact>
      )}
      {request.workingDirectory && (
        <Fact name={t.directory}>
          <code>
            <Revealed text={request.workingDirectory} />
          </code>
        </Fact>
      )}
      {request.sandbox && (
        <Fact name={t.sandbox}>
          <span data-testid="sandbox">
            <Revealed text={confined(request.sandbox)} />
          </span>
        </Fact>
      )}
      {policy?.rule && (
        <Fact name={t.rule}>
          <Revealed text={describeRule(policy.rule)} />
          {policy.trace && policy.trace.length > 0 && (
            <details className={`${shared.disclosure} ${classes.trace}`}>
              <summary>{t.trace}</summary>
              <ol>
                {policy.trace.map((line, i) => (
                  <li key={i}>
                    <Revealed text={line} />
                  </li>
                ))}
              </ol>
            </details>
          )}
        </Fact>
      )}
      {asked && (
        <Fact name={t.askedBy}>
          <Revealed text={asked} />
        </Fact>
      )}
      {preview?.fileHash && (
        <Fact name={t.file}>
          <code>
            <Revealed text={preview.fileHash === 'absent' ? t.fileAbsent : preview.fileHash} />
          </code>
        </Fact>
      )}
      {Object.entries(metadata ?? {}).map(([key, value]) => (
        <Fact key={key} name={key}>
          <Revealed text={value} />
        </Fact>
      ))}
      {request.schema !== undefined && (
        <Fact name={t.schema}>
          <details
            className={`${shared.disclosure} ${classes.trace}`}
            open={formOf(request.schema).kind === 'json'}
          >
            <summary>{t.schemaOpen}</summary>
            <code>
              <Revealed text={pretty(request.schema)} />
            </code>
          </details>
        </Fact>
      )}
      <Fact name={t.asked}>
        {formatTime(request.requestedAt)}
        {request.round ? ` · ${t.roundText(request.round)}` : ''}
        {request.unanswered ? <div>{t.unanswered(request.unanswered)}</div> : null}
      </Fact>
    </dl>
  );
}

/** How freely the command would run; a kind that this page does not know is taken for none. */
function confined({ kind, network, write }: NonNullable<ApprovalRequest['sandbox']>): string {
  const t = texts.card;
  if (kind !== 'bubblewrap') return t.unconfined;
  return [t.confined, network ? t.withNetwork : t.withoutNetwork, write?.length ? t.writes(write) : '']
    .filter(Boolean)
    .join('; ');
}

/** What the title does not say of who asks. */
function askedBy(request: ApprovalRequest): string {
  const { client, parent } = request.origin ?? {};
  if (isFromProgram(request)) return '';
  if (isFromServer(request)) return parent ?? '';
  return client || parent ? [parent || request.agentId, client].filter(Boolean).join(' · ') : '';
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>
        <Revealed text={name} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
