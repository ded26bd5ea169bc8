import { TextInput } from '@mantine/core';
import { texts } from '../words/texts';
import { Revealed } from '../ui/Revealed';
import classes from './reason.module.css';
import type { ConfirmationState } from './useConfirmation';

interface Props {
  confirmation: ConfirmationState;
  disabled: boolean;
}

/** Approving what is critical begins with writing what it is. Enter in the field does nothing. */
export function TypedName({ confirmation, disabled }: Props) {
  const { name, typed, type } = confirmation;
  const t = texts.card;
  if (name === undefined) return null;
  return (
    <TextInput
      className={classes.typed}
      label={
        <>
          {t.typeName}{' '}
          <code className={classes.typedName}>
            <Revealed text={name} />
          </code>
        </>
      }
      value={typed}
      disabled={disabled}
      onChange={(e) => type(e.currentTarget.value)}
      size="sm"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
    />
  );
}
