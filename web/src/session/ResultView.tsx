import { texts } from './texts';
import type { ToolResult } from '../wire/wire';
import { Caption, LongBlock } from '../ui/Block';
import { Pictures } from './Pictures';
import { Revealed } from '../ui/Revealed';
import classes from './session.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  result: ToolResult;
  ran: boolean;
  duration: string; // how long it ran; empty where that is not known
}

/** What a call gave, or what the model was told in its place. */
export function ResultView({ result, ran, duration }: Props) {
  const { text, structured, isError, unreported, images = [] } = result.result;
  if (!ran) {
    return (
      <div>
        <Caption title={texts.call.told} />
        <p className={`${shared.quiet} ${classes.told}`}>
          <Revealed text={text} mode="prose" />
        </p>
      </div>
    );
  }
  const output = shellOutput(structured);
  const title = isError ? texts.call.error : unreported ? texts.call.unreported : texts.call.result;
  return (
    <div data-testid="result" className={isError ? classes.failed : undefined}>
      {output ? (
        <div className={classes.streams}>
          <Caption title={title} note={notes(output, duration)} />
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
          <Caption title={title} note={notes(undefined, duration)} />
          {(text || images.length === 0) && (
            <LongBlock text={text || texts.call.noOutput} label={title} error={isError === true} />
          )}
        </>
      )}
      <Pictures pictures={images} tool={result.toolName} />
    </div>
  );
}

function notes(output: Output | undefined, duration: string): string {
  const parts = [
    output?.exit !== undefined && texts.call.exit(output.exit),
    output?.sandboxed && texts.call.sandboxed,
    duration && texts.durations.took(duration),
  ];
  return parts.filter(Boolean).join(' · ');
}

interface Output {
  streams: { name: string; text: string }[];
  exit?: string;
  sandboxed: boolean;
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
  const sandboxed = typeof fields['sandbox'] === 'string';
  return { streams, sandboxed, ...(exit === undefined ? {} : { exit: String(exit) }) };
}
