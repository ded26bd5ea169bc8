import { type ComponentType, lazy, memo, Suspense, useDeferredValue } from 'react';
import { formatTime } from '../ui/clock';
import { useUnformatted } from '../browser/messageFormat';
import { texts } from './texts';
import { Revealed } from '../ui/Revealed';
import classes from './session.module.css';
import shared from '../ui/shared.module.css';

const Markdown = lazy<ComponentType<{ text: string }>>(() =>
  import('./Markdown').catch(() => ({ default: Unformatted })),
);

// The form of words is not worth a page that shows nothing.
function Unformatted({ text }: { text: string }) {
  return (
    <div className={classes.words}>
      <Revealed text={text} mode="prose" />
    </div>
  );
}

// Longer words are shown as they are: nobody reads them as a page, and to
// reformat them for each piece that arrives would hold up the tab.
const mostFormatted = 100_000;
const mostWhileWritten = 20_000;

interface Props {
  who: string;
  text: string;
  reasoning?: string | undefined;
  stop?: string | undefined;
  at?: string;
  writing?: boolean;
}

/** What a model says, also while it is being written. */
export const AgentMessage = memo(function AgentMessage({
  who,
  text,
  reasoning,
  stop,
  at,
  writing = false,
}: Props) {
  const stopped = stop && texts.speech.stops[stop];
  return (
    <div aria-live={writing ? 'off' : undefined} data-testid={writing ? 'partial' : 'assistant'}>
      <div className={classes.by}>
        <Revealed text={who} />{' '}
        {writing ? <span>{texts.session.writing}</span> : <time>{formatTime(at)}</time>}
      </div>
      {reasoning && (
        <details className={`${shared.disclosure} ${classes.thoughts}`} data-testid="thoughts">
          <summary>{texts.speech.thoughts}</summary>
          <p>
            <Revealed text={reasoning} mode="prose" />
          </p>
        </details>
      )}
      {(text || writing) && <Words text={text} writing={writing} />}
      {stopped && <p className={classes.stopped}>{stopped}</p>}
    </div>
  );
});

function Words({ text, writing }: { text: string; writing: boolean }) {
  const unformatted = useUnformatted();
  const settled = useDeferredValue(text);
  const most = writing ? mostWhileWritten : mostFormatted;
  const caret = writing && <span className={classes.caret} aria-hidden />;
  const asWritten = (
    <div className={classes.words}>
      <Revealed text={text} mode="prose" />
      {caret}
    </div>
  );
  if (unformatted || text.length > most) return asWritten;
  return (
    <Suspense fallback={asWritten}>
      <Markdown text={settled} />
      {caret}
    </Suspense>
  );
}
