import { Button, Textarea } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { FormField } from '../question/FormField';
import { valueAt } from '../question/form';
import type { AgentTool } from '../wire/wire';
import { argumentsOf, toJSON, wayOf, type CallInput, type Way } from './callInput';
import { texts } from './texts';
import classes from './tryCall.module.css';

interface Props {
  tool: AgentTool | undefined;
  input: CallInput;
  onChange: (input: CallInput) => void;
  onEnter: () => void;
}

/** The arguments of a call: its command, fields from the tool's schema, or JSON. */
export function CallFields({ tool, input, onChange, onEnter }: Props) {
  const way = wayOf(tool, input.asJSON);
  const other = wayOf(tool, false);
  const t = texts.tryCall;
  return (
    <div className={classes.fields}>
      <Fields way={way} input={input} onChange={onChange} onEnter={onEnter} />
      {other.kind !== 'json' && (
        <Button
          type="button"
          className={classes.way}
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => onChange(input.asJSON ? { ...input, asJSON: false } : toJSON(way, input))}
        >
          {input.asJSON ? t.asFields : t.asJSON}
        </Button>
      )}
    </div>
  );
}

function Fields({ way, input, onChange, onEnter }: Omit<Props, 'tool'> & { way: Way }) {
  const t = texts.tryCall;
  const mono = {
    classNames: { input: classes.mono },
    autosize: true,
    spellCheck: false,
    autoComplete: 'off',
  };
  switch (way.kind) {
    case 'command':
      return (
        <Textarea
          {...mono}
          label={t.command}
          minRows={1}
          maxRows={8}
          value={input.command}
          onChange={(e) => onChange({ ...input, command: e.currentTarget.value })}
          onKeyDown={(e) => onEnterAlone(e, onEnter)}
        />
      );
    case 'fields':
      return way.form.fields.map((field, i) => (
        <FormField
          key={field.name}
          field={field}
          value={valueAt(way.form.fields, input.draft, i)}
          disabled={false}
          onChange={(value) => {
            const values = way.form.fields.map((_, j) => valueAt(way.form.fields, input.draft, j));
            values[i] = value;
            onChange({ ...input, draft: { values } });
          }}
        />
      ));
    case 'json': {
      const now = argumentsOf(way, input);
      return (
        <Textarea
          {...mono}
          label={t.args}
          minRows={3}
          maxRows={14}
          value={input.json}
          error={'fault' in now && t.notJSON(now.fault)}
          onChange={(e) => onChange({ ...input, json: e.currentTarget.value })}
        />
      );
    }
  }
}

/** Enter asks at once; with Shift it is a line of the command. */
function onEnterAlone(event: KeyboardEvent, act: () => void): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  act();
}
