import { Fragment } from 'react';
import { formatTime } from '../ui/clock';
import { callOf } from '../request/granted';
import { texts } from './texts';
import type { Grant } from '../wire/wire';
import { InlineCode } from '../ui/InlineCode';
import { Revealed } from '../ui/Revealed';

/** Who may do what without asking, and until when. */
export function GrantSentence({ grant }: { grant: Grant }) {
  const t = texts.grants;
  return (
    <>
      <strong>
        <Revealed text={grant.agentId} />
      </strong>{' '}
      {t.mayUse}{' '}
      <strong>
        <Revealed text={grant.toolName} />
      </strong>{' '}
      <Covered grant={grant} />
      {', '}
      <strong>
        <Revealed text={howLong(grant)} />
      </strong>
      .
    </>
  );
}

function Covered({ grant }: { grant: Grant }) {
  const { covers, workingDirectory } = grant;
  const t = texts.grants;
  const call = callOf(grant);
  const elsewhere = covers.paths?.filter((path) => path !== workingDirectory) ?? []; // where it holds is said below
  if (call)
    return (
      <>
        {call.isCommand ? t.toRunExactly : t.withExactly} <InlineCode text={call.text} />
      </>
    );
  switch (covers.kind) {
    case 'exact':
      return t.oneCall;
    case 'command':
      return (
        <>
          {t.toRun} <Codes list={(covers.command ?? []).map(openEnded)} />
          {elsewhere.length > 0 && (
            <>
              {' '}
              {t.in} <Codes list={elsewhere} />
            </>
          )}
        </>
      );
    case 'path':
      return (
        <>
          {t.on} <Revealed text={covers.text} />
        </>
      );
    case 'tool':
      // Of a tool that runs commands it is a sandbox, which the gateway describes.
      return /^any command/.test(covers.text) ? (
        <>
          {t.toRun} <Revealed text={covers.text} />
        </>
      ) : (
        t.anyArguments
      );
  }
}

const openEnded = (pattern: string) => pattern.replace(/ \*$/, ' …');

function Codes({ list }: { list: readonly string[] }) {
  return list.map((one, i) => (
    <Fragment key={i}>
      {i > 0 && (i === list.length - 1 ? ` ${texts.grants.or} ` : ', ')}
      <InlineCode text={one} />
    </Fragment>
  ));
}

function howLong({ standing, workingDirectory, expiresAt, ended }: Grant): string {
  const t = texts.grants;
  if (!standing) return t.untilEnd;
  const where = t.inEverySession(workingDirectory);
  return expiresAt && !ended ? `${where} ${t.untilDate(formatTime(expiresAt))}` : where;
}
