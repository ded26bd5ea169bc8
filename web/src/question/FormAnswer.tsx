import { useMemo } from 'react';
import { formOf } from './form';
import { pretty } from '../wire/json';
import { texts } from './texts';
import classes from './form.module.css';
import { Revealed } from '../ui/Revealed';

/** What was filled in, by the titles of the form that was asked. */
export function FormAnswer({ data, schema }: { data: unknown; schema: unknown }) {
  const rows = useMemo(() => rowsOf(data, schema), [data, schema]);
  if (rows.length === 0) return null;
  return (
    <dl className={classes.answer} data-testid="form-answer">
      {rows.map((row, i) => (
        <div key={i}>
          <dt>
            <Revealed text={row.title} />
          </dt>
          <dd data-open={row.value === undefined || undefined}>
            <Revealed text={row.value ?? texts.decision.noData} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Row {
  title: string;
  value?: string; // absent: left open
}

function rowsOf(data: unknown, schema: unknown): Row[] {
  if (data === undefined || data === null) return [];
  if (typeof data !== 'object' || Array.isArray(data)) {
    return [{ title: texts.decision.answer, value: words(data) }];
  }
  const form = formOf(schema);
  const fields = form.kind === 'fields' ? form.fields : [];
  const members = new Map(Object.entries(data));
  const asked = fields.map((field): Row => {
    const value = members.get(field.name);
    members.delete(field.name);
    if (value === undefined) return { title: field.title };
    return { title: field.title, value: field.format === 'password' ? texts.form.secret : words(value) };
  });
  return [...asked, ...[...members].map(([title, value]) => ({ title, value: words(value) }))];
}

function words(value: unknown): string {
  if (typeof value === 'boolean') return value ? texts.form.yes : texts.form.no;
  return typeof value === 'string' && value !== '' ? value : pretty(value);
}
