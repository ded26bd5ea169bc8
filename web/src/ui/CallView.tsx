import { Loader } from '@mantine/core';
import { IconMessageQuestion, IconTool } from '@tabler/icons-react';
import { memo } from 'react';
import { argumentBlocks, formatBytes, type ArgumentBlocks } from '../arguments';
import { changeOf } from '../change';
import { pretty } from '../json';
import { texts } from '../texts';
import type { CallItem } from '../transcript';
import type { ApprovalRequest, ToolResult } from '../wire';
import { ApprovalCard } from './ApprovalCard';
import { Block, Caption, LongBlock } from './Block';
import card from './card.module.css';
import { FormAnswer } from './FormAnswer';
import { PastDiff } from './DiffView';
import { DecisionLine } from './DecisionLine';
import { Revealed } from './Revealed';
import classes from './session.module.css';

interface Props {
  item: CallItem;
  pending: Readonly<Record<string, ApprovalRequest>>;
  place: string;
  over: boolean; // nothing more will come of it: the turn has ended
}

/** One tool call: what it was, what was decided, what it gave; the card while it waits. */
export const CallView = memo(function CallView({ item, pending, place, over }: Props) {
  const waiting = item.rounds.flatMap((r) => pending[r.approvalId] ?? []);
  const asks = item.rounds.some((r) => r.request?.type === 'elicitation');
  // That nobody had to allow a question goes without saying.
  const answered = item.rounds.filter((r) => r.response && !(asks && r.response.by?.via === 'policy'));
  const last = item.rounds.at(-1);
  const asked = last?.request?.type === 'elicitation'; // then its result is the answer, which stands above it
  const ran = last?.response?.status === 'approved' && !last.voided;
  return (
    <section className={classes.call} data-testid="call">
      {waiting.length === 0 && <CallHead item={item} />}
      {answered.map((round) => (
        <div key={round.approvalId}>
          {round.response && <DecisionLine response={round.response} request={round.request} />}
          {round.response?.edit !== undefined && (
            <div className={classes.edit}>
              <Caption title={texts.call.edited} note="JSON" />
              <LongBlock text={pretty(round.response.edit)} label={texts.call.edited} />
            </div>
          )}
          {round.response?.formData !== undefined && (
            <div className={classes.edit}>
              <FormAnswer data={round.response.formData} schema={round.request?.schema} />
            </div>
          )}
          {round.voided && <DecisionLine response={round.voided} request={round.request} voided />}
        </div>
      ))}
      {waiting.map((request) => (
        <ApprovalCard key={request.approvalId} request={request} place={place} />
      ))}
      {item.result && !(asked && ran && !item.result.result.isError) && (
        <ResultView result={item.result} ran={ran} />
      )}
      {!item.result && waiting.length === 0 && !over && (ran || item.rounds.length === 0) && (
        <p className={classes.working} role="status">
          <Loader size={14} aria-hidden /> {ran ? texts.call.running : texts.call.checking}
        </p>
      )}
    </section>
  );
});

function CallHead({ item }: { item: CallItem }) {
  const blocks = argumentBlocks(item.call.args);
  const single =
    blocks.plain.length === 1 && blocks.json.split('\n').length <= 3 ? blocks.plain[0] : undefined;
  const request = item.rounds.at(-1)?.request;
  const change = request && changeOf(request);
  const title = (
    <h3 className={classes.callTitle}>
      <IconTool size={16} aria-hidden />
      <code>
        <Revealed text={item.call.toolName} />
      </code>
    </h3>
  );
  if (change) {
    const { rest: _rest, ...shown } = change;
    return (
      <>
        {title}
        <PastDiff {...shown} />
        <AllArguments blocks={blocks} />
      </>
    );
  }
  if (request?.type === 'elicitation') {
    return (
      <>
        <h3 className={classes.callTitle}>
          <IconMessageQuestion size={17} aria-hidden /> {texts.decision.question}
        </h3>
        <p className={classes.words}>
          <Revealed text={request.message ?? ''} />
        </p>
      </>
    );
  }
  return (
    <>
      {title}
      {single && (
        <div>
          {single.name && <Caption name={single.name} />}
          <LongBlock text={single.text} label={texts.call.arguments} />
        </div>
      )}
      {!single && !blocks.empty && <LongBlock text={blocks.json} label={texts.call.arguments} />}
    </>
  );
}

function AllArguments({ blocks }: { blocks: ArgumentBlocks }) {
  return (
    <details className={card.raw}>
      <summary>{texts.diff.arguments(formatBytes(blocks.bytes))}</summary>
      <Block text={blocks.json} label={texts.call.arguments} />
    </details>
  );
}

function ResultView({ result, ran }: { result: ToolResult; ran: boolean }) {
  const { text, structured, isError } = result.result;
  if (!ran) {
    return (
      <div>
        <Caption title={texts.call.told} />
        <p className={classes.told}>
          <Revealed text={text} mode="prose" />
        </p>
      </div>
    );
  }
  const output = shellOutput(structured);
  const title = isError ? texts.call.error : texts.call.result;
  return (
    <div data-testid="result" className={isError ? classes.failed : undefined}>
      {output ? (
        <div className={classes.streams}>
          <Caption
            title={title}
            {...(output.exit !== undefined ? { note: texts.call.exit(output.exit) } : {})}
          />
          {output.streams.map((s) => (
            <div key={s.name}>
              <Caption name={s.name} />
              <LongBlock text={s.text} label={s.name} error={isError === true} />
            </div>
          ))}
          {output.streams.length === 0 && (
            <LongBlock text={text || texts.call.noOutput} label={title} error={isError === true} />
          )}
        </div>
      ) : (
        <>
          <Caption title={title} />
          <LongBlock text={text || texts.call.noOutput} label={title} error={isError === true} />
        </>
      )}
    </div>
  );
}

interface Output {
  streams: { name: string; text: string }[];
  exit?: string;
}

/** A shell's result by its parts, where it says them for programs. */
function shellOutput(structured: unknown): Output | undefined {
  if (typeof structured !== 'object' || structured === null) return undefined;
  const fields = structured as Record<string, unknown>;
  if (!('stdout' in fields || 'stderr' in fields)) return undefined;
  const streams = ['stdout', 'stderr'].flatMap((name) => {
    const text = fields[name];
    return typeof text === 'string' && text !== '' ? [{ name, text: text.replace(/\n$/, '') }] : [];
  });
  const exit = fields['exitCode'] ?? fields['exit'];
  return { streams, ...(exit === undefined ? {} : { exit: String(exit) }) };
}
