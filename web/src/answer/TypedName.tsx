import { TextInput } from '@mantine/core';
import { texts } from '../words/texts';
import { Revealed } from '../ui/Revealed';
import classes from './reason.module.css';

interface Props {
  name: string;
  value: string;
  disabled: boolean;
  onChange: (value: string) => void;
}

/** Approving what is critical begins with writing what it is. Enter in the field does nothing. */
export function TypedName({ name, value, disabled, onChange }: Props) {
  const t = texts.card;
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
      value={value}
      disabled={disabled}
      onChange={(e) => onChange(e.currentTarget.value)}
      size="sm"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
    />
  );
}
