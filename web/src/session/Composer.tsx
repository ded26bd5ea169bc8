import { ActionIcon, Textarea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useRef } from 'react';
import { useUnsentText } from '../browser/unsentText';
import { isComposing } from '../browser/keyboard';
import { useStore } from '../store/store';
import { texts } from './texts';
import { may } from '../wire/wire';
import classes from './composer.module.css';

interface Props {
  draftKey?: string; // under which name what is typed is kept
  earlier?: readonly string[]; // what the person has said before, newest first
  /** Where it takes a while: whether it was taken. Until then the text stays. */
  onSend: (text: string) => void | Promise<boolean>;
  disabled?: boolean;
  autoFocus?: boolean;
}

/** Where a person talks to the agent. It never answers a request, whatever is typed. */
export function Composer({
  draftKey = '',
  earlier = [],
  onSend,
  disabled = false,
  autoFocus = false,
}: Props) {
  const online = useStore((s) => s.connection.phase === 'online');
  const identity = useStore((s) => s.identity);
  const narrow = useMediaQuery('(max-width: 600px)');
  const [text, setText] = useUnsentText(draftKey);
  const recall = useRecall(earlier, text, setText);
  if (!may(identity, 'talk')) return <p className={classes.composerNote}>{texts.composer.noRight}</p>;
  const ready = online && !disabled && text.trim() !== '';
  const send = () => {
    if (!ready) return;
    const taken = onSend(text);
    if (taken) void taken.then((yes) => yes && setText(''));
    else setText('');
  };
  const onKeyDown = (e: React.KeyboardEvent) => {
    if (recall(e)) return;
    // While an input method composes, Enter belongs to it.
    if (e.key !== 'Enter' || e.shiftKey || isComposing(e.nativeEvent)) return;
    e.preventDefault();
    if (!e.repeat) send();
  };
  return (
    <div className={classes.composerBar}>
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
          placeholder={narrow ? texts.composer.placeholderShort : texts.composer.placeholder}
          autosize
          minRows={1}
          maxRows={10}
          value={text}
          disabled={disabled}
          autoFocus={autoFocus}
          onChange={(e) => setText(e.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <ActionIcon type="submit" size={42} radius="md" aria-label={texts.composer.send} disabled={!ready}>
          <IconArrowUp size={20} aria-hidden />
        </ActionIcon>
      </form>
    </div>
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
