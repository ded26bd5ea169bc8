import { Textarea } from '@mantine/core';
import type { Draft } from '../store/state';
import { valueAt, type Form } from './form';
import { countHidden } from '../ui/hiddenCharacters';
import { isComposing } from '../browser/keyboard';
import { texts } from './texts';
import { FormField } from './FormField';
import classes from './form.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  form: Form;
  draft: Draft;
  faults: ReadonlyMap<number, string>; // by the field's place
  disabled: boolean;
  onDraft: (draft: Draft) => void;
  onSend: () => void;
}

/** The fields of a question, or a box for JSON where fields would not do. */
export function QuestionForm({ form, draft, faults, disabled, onDraft, onSend }: Props) {
  if (form.kind === 'none') return null;
  if (form.kind === 'fields' && form.fields.length === 0) {
    return <p className={`${shared.quiet} ${classes.note}`}>{texts.form.noFields}</p>;
  }
  const onKeyDown = (e: React.KeyboardEvent) => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey) || e.repeat || isComposing(e.nativeEvent)) return;
    e.preventDefault();
    onSend();
  };
  return (
    <div className={classes.form} role="group" aria-label={texts.form.region} onKeyDown={onKeyDown}>
      {form.kind === 'json' ? (
        <JSONBox
          value={draft.json ?? form.initial}
          fault={faults.get(0)}
          disabled={disabled}
          onChange={(json) => onDraft({ json })}
        />
      ) : (
        <Fields form={form} draft={draft} faults={faults} disabled={disabled} onDraft={onDraft} />
      )}
    </div>
  );
}

type FieldsProps = Omit<Props, 'form' | 'onSend'> & { form: Extract<Form, { kind: 'fields' }> };

function Fields({ form, draft, faults, disabled, onDraft }: FieldsProps) {
  const { title, description, fields } = form;
  const set = (i: number, value: string) => {
    onDraft({ values: fields.map((_, at) => (at === i ? value : valueAt(fields, draft, at))) });
  };
  return (
    <>
      {title && (
        <p className={classes.title}>
          <Revealed text={title} />
        </p>
      )}
      {description && (
        <p className={`${shared.quiet} ${classes.note}`}>
          <Revealed text={description} mode="prose" />
        </p>
      )}
      {fields.map((field, i) => (
        <FormField
          key={i}
          field={field}
          value={valueAt(fields, draft, i)}
          error={faults.get(i)}
          disabled={disabled}
          onChange={(value) => set(i, value)}
        />
      ))}
    </>
  );
}

interface BoxProps {
  value: string;
  fault: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}

function JSONBox({ value, fault, disabled, onChange }: BoxProps) {
  return (
    <div>
      <Textarea
        label={texts.form.json}
        description={texts.form.jsonNote}
        error={fault && <Revealed text={fault} mode="prose" />}
        classNames={{ input: classes.json }}
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        autoComplete="off"
        value={value}
        disabled={disabled}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
      {countHidden(value) > 0 && (
        <p className={classes.revealed}>
          {texts.form.asItIs} <Revealed text={value} />
        </p>
      )}
    </div>
  );
}
