import { ActionIcon, Textarea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { Told } from '../connection/connection';
import { Revealed } from '../ui/Revealed';
import { useUnsentText } from '../browser/unsentText';
import { isComposing } from '../browser/keyboard';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import classes from './composer.module.css';

interface Props {
  draftKey?: string; // under which name what is typed is kept
  earlier?: readonly string[]; // what the person has said before, newest first
  /** Where it takes a while: whether it was taken, and what came of it. Until then the text stays. */
  onSend: (text: string) => void | Promise<Told>;
  answers?: boolean; // what is said may answer what waits
  disabled?: boolean;
  autoFocus?: boolean;
}

/** Where a person talks to the agent. Who sends decides whether words may answer what waits. */
export function Composer({
  draftKey = '',
  earlier = [],
  onSend,
  answers = false,
  disabled = false,
  autoFocus = false,
}: Props) {
  const online = useStore((s) => s.connection.phase === 'online');
  const identity = useStore((s) => s.identity);
  const narrow = useMediaQuery('(max-width: 600px)');
  const [text, setText] = useUnsentText(draftKey);
  const [told, setTold] = useState<Told>();
  const [busy, setBusy] = useState(false);
  const typed = useRef(text);
  typed.current = text;
  const recall = useRecall(earlier, text, setText);
  if (!may(identity, 'talk')) return <p className={classes.composerNote}>{texts.composer.noRight}</p>;
  const ready = online && !disabled && !busy && text.trim() !== '';
  const send = () => {
    if (!ready) return;
    const sent = onSend(text);
    setTold(undefined);
    if (!sent) return setText('');
    setBusy(true);
    void sent.then((now) => {
      setBusy(false);
      setTold(now);
      // What was typed meanwhile is not what was sent.
      if (now.taken && typed.current === text) setText('');
    });
  };
  const words = answers ? texts.composer.placeholderAnswer : texts.composer.placeholder;
  const placeholder = narrow ? texts.composer.placeholderShort : words;
  const onKeyDown = (e: React.KeyboardEvent) => {
    if (recall(e)) return;
    // While an input method composes, Enter belongs to it.
    if (e.key !== 'Enter' || e.shiftKey || isComposing(e.nativeEvent)) return;
    e.preventDefault();
    if (!e.repeat) send();
  };
  return (
    <div className={classes.composerBar}>
      {told?.note && <SaidNote told={told} />}
      <form
        className={classes.composer}
        onSubmit={(e) => {
          e.preventDefault();
          send();
        }}
      >
        <Textarea
          className={classes.composerField}
          classNames={{ input: classes.composerInput }}
          aria-label={texts.composer.label}
          placeholder={placeholder}
          autosize
          minRows={1}
          maxRows={10}
          value={text}
          disabled={disabled}
          autoFocus={autoFocus}
          onChange={(e) => {
            setTold(undefined);
            setText(e.currentTarget.value);
          }}
          onKeyDown={onKeyDown}
        />
        <ActionIcon type="submit" size={42} radius="md" aria-label={texts.composer.send} disabled={!ready}>
          <IconArrowUp size={20} aria-hidden />
        </ActionIcon>
      </form>
    </div>
  );
}

/** What came of words that were, or could have been, an answer. It tells of tools as agents name them. */
function SaidNote({ told }: { told: Told }) {
  return (
    <p className={classes.said} role="status" data-testid="said-note" data-kept={!told.taken || undefined}>
      {told.taken ? texts.composer.answered : texts.composer.undecided}{' '}
      <Revealed text={told.note ?? ''} mode="prose" />
    </p>
  );
}

/** ArrowUp in an empty box brings back what was said before, again what was before that; ArrowDown returns. */
function useRecall(earlier: readonly string[], text: string, setText: (text: string) => void) {
  const at = useRef(-1);
  return (e: React.KeyboardEvent): boolean => {
    const step = e.key === 'ArrowUp' ? 1 : e.key === 'ArrowDown' ? -1 : 0;
    if (step === 0 || e.shiftKey || e.altKey || e.ctrlKey || e.metaKey || isComposing(e.nativeEvent))
      return false;
    // Once it is changed it is a text of its own, in which the arrows move.
    if (at.current >= 0 && text !== earlier[at.current]) at.current = -1;
    if (at.current < 0 && text !== '') return false;
    const next = at.current + step;
    const found = next < 0 ? '' : earlier[next];
    if (found === undefined || (next < 0 && at.current < 0)) return false;
    e.preventDefault();
    at.current = Math.max(-1, next);
    setText(found);
    return true;
  };
}
