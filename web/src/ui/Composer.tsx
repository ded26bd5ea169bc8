import { ActionIcon, Textarea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from '../store/store';
import { texts } from '../texts';
import { may } from '../wire';
import classes from './session.module.css';

interface Props {
  onSend: (text: string) => void;
  disabled?: boolean;
  autoFocus?: boolean;
}

/** Where a person talks to the agent. It never answers a request, whatever is typed. */
export function Composer({ onSend, disabled = false, autoFocus = false }: Props) {
  const online = useStore((s) => s.connection.phase === 'online');
  const identity = useStore((s) => s.identity);
  const narrow = useMediaQuery('(max-width: 600px)');
  const [text, setText] = useState('');
  if (!may(identity, 'talk')) return <p className={classes.composerNote}>{texts.composer.noRight}</p>;
  const ready = online && !disabled && text.trim() !== '';
  const send = () => {
    if (!ready) return;
    onSend(text);
    setText('');
  };
  const onKeyDown = (e: React.KeyboardEvent) => {
    // While an input method composes, Enter belongs to it.
    if (e.key !== 'Enter' || e.shiftKey || e.nativeEvent.isComposing) return;
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
