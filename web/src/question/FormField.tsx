import { Checkbox, NativeSelect, Radio, Textarea, TextInput } from '@mantine/core';
import { chosen, places, type Field } from './form';
import { countHidden, visibleText } from '../ui/hiddenCharacters';
import { texts } from './texts';
import classes from './form.module.css';
import { Revealed } from '../ui/Revealed';

interface Props {
  field: Field;
  value: string;
  error?: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
}

/** One question of a form. It has no form element around it: Enter in it sends nothing. */
export function FormField({ field, value, error, disabled, onChange }: Props) {
  const common = {
    label: <Revealed text={field.title} />,
    description: (field.description || field.limits.length > 0) && <Description field={field} />,
    error: error && <Revealed text={error} mode="prose" />,
    required: field.required,
  };
  if (field.kind === 'choices') {
    return <Choices field={field} common={common} value={value} disabled={disabled} onChange={onChange} />;
  }
  if (field.kind === 'boolean' || field.kind === 'choice') {
    return <Choice field={field} common={common} value={value} disabled={disabled} onChange={onChange} />;
  }
  const input = {
    ...common,
    value,
    disabled,
    autoComplete: 'off',
    spellCheck: field.kind === 'lines',
    onChange: (e: { currentTarget: { value: string } }) => onChange(e.currentTarget.value),
  };
  return (
    <div>
      {field.kind === 'lines' ? (
        <Textarea {...input} autosize minRows={isLong(field) ? 3 : 1} maxRows={14} />
      ) : (
        <TextInput {...input} {...inputKind(field)} />
      )}
      {field.format !== 'password' && countHidden(value) > 0 && (
        <p className={classes.revealed}>
          {texts.form.asItIs} <Revealed text={value} />
        </p>
      )}
    </div>
  );
}

function isLong(field: Field): boolean {
  return field.format !== undefined || field.initial.includes('\n');
}

function inputKind(field: Field): { type?: string; inputMode?: 'decimal' | 'numeric' | 'email' | 'url' } {
  if (field.kind === 'number') return { inputMode: 'decimal' };
  if (field.kind === 'integer') return { inputMode: 'numeric' };
  // The browser's own kinds for addresses change what is typed, so only the keyboard is theirs.
  if (field.format === 'email') return { inputMode: 'email' };
  if (field.format === 'uri') return { inputMode: 'url' };
  if (field.format === 'date') return { type: 'date' };
  return field.format === 'password' ? { type: 'password' } : {};
}

function Description({ field }: { field: Field }) {
  const limits = field.limits.join(', ');
  return (
    <>
      {field.description && <Revealed text={field.description} mode="prose" />}
      {field.description && limits && ' · '}
      {limits && <Revealed text={limits} />}
    </>
  );
}

const mostRadios = 6;

interface ChoiceProps extends Omit<Props, 'error'> {
  common: { label: React.ReactNode; description: React.ReactNode; error: React.ReactNode; required: boolean };
}

function Choice({ field, common, value, disabled, onChange }: ChoiceProps) {
  const t = texts.form;
  const options =
    field.kind === 'boolean'
      ? [
          { value: 'true', label: t.yes },
          { value: 'false', label: t.no },
        ]
      : field.options.map((o, i) => ({ value: String(i), label: o.label }));
  if (options.length > mostRadios) {
    // A list of the browser's own shows plain text only.
    const data = options.map((o) => ({ ...o, label: visibleText(o.label) }));
    const empty = { value: '', label: field.required ? t.choose : t.open };
    return (
      <NativeSelect
        {...common}
        data={field.filled ? data : [empty, ...data]}
        value={value}
        disabled={disabled}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
    );
  }
  const all = field.required || field.filled ? options : [...options, { value: '', label: t.open }];
  return (
    <Radio.Group {...common} value={value} onChange={onChange}>
      <div className={classes.radios}>
        {all.map((o) => (
          <Radio
            key={o.value}
            value={o.value}
            disabled={disabled}
            label={<Revealed text={o.label} />}
            classNames={{ labelWrapper: classes.radioText }}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

/** Any number of a list. */
function Choices({ field, common, value, disabled, onChange }: ChoiceProps) {
  const onChosen = (list: string[]) => onChange(places(list.map(Number)));
  return (
    <Checkbox.Group {...common} value={chosen(value).map(String)} onChange={onChosen}>
      <div className={classes.radios}>
        {field.options.map((o, i) => (
          <Checkbox
            key={i}
            value={String(i)}
            disabled={disabled}
            label={<Revealed text={o.label} />}
            classNames={{ labelWrapper: classes.radioText }}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
