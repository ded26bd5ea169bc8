import type { ReactNode } from 'react';
import { pretty } from '../wire/json';
import { texts } from './texts';
import type { ApprovalRequest } from '../wire/wire';
import classes from './card.module.css';
import { Revealed } from '../ui/Revealed';

/** What FactsLine leaves out: the sandbox's limits, decision trace, file version, metadata, schema and id. */
export function CardDetails({ request }: { request: ApprovalRequest }) {
  const t = texts.card;
  const { policy, preview, metadata, sandbox, schema } = request;
  return (
    <dl className={classes.details}>
      {sandbox && (
        <Fact name={t.sandbox}>
          <span data-testid="sandbox">
            <Revealed text={confined(sandbox)} />
          </span>
        </Fact>
      )}
      {policy?.trace && policy.trace.length > 0 && (
        <Fact name={t.trace}>
          <ol className={classes.trace}>
            {policy.trace.map((line, i) => (
              <li key={i}>
                <Revealed text={line} />
              </li>
            ))}
          </ol>
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
      {schema !== undefined && (
        <Fact name={t.schema}>
          <code>
            <Revealed text={pretty(schema)} />
          </code>
        </Fact>
      )}
      <Fact name={t.number}>
        <code>{request.approvalId}</code>
      </Fact>
    </dl>
  );
}

/** What the sandbox allows; a kind this page doesn't know counts as none. */
function confined({ kind, network, write }: NonNullable<ApprovalRequest['sandbox']>): string {
  const t = texts.card;
  if (kind !== 'bubblewrap') return t.unconfined;
  return [t.confined, network ? t.withNetwork : t.withoutNetwork, write?.length ? t.writes(write) : '']
    .filter(Boolean)
    .join('; ');
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
