import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { emptyQuery, isEmptyQuery, type HistoryQuery } from './filterHistory';
import { useStore } from '../store/store';
import { texts } from './texts';
import classes from './history.module.css';

interface Props {
  query: HistoryQuery;
  onQuery: (query: HistoryQuery) => void;
}

/** Which requests of the past to show. */
export function HistoryFilter({ query, onQuery }: Props) {
  const agents = useStore((s) => s.agents);
  const t = texts.historyPage;
  const field = (name: keyof HistoryQuery) => ({
    size: 'sm',
    value: query[name],
    onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onQuery({ ...query, [name]: e.currentTarget.value }),
  });
  const names = agents?.map((a) => a.agentId) ?? [];
  return (
    <div className={classes.filter} role="search" aria-label={t.filters}>
      <TextInput
        type="search"
        label={t.text}
        className={classes.filterText}
        autoComplete="off"
        {...field('text')}
      />
      <NativeSelect
        label={t.status}
        data={Object.entries(t.statuses).map(([value, label]) => ({ value, label }))}
        {...field('status')}
      />
      <NativeSelect
        label={t.agent}
        data={[{ value: '', label: t.anyAgent }, ...[...new Set([...names, 'external'])]]}
        {...field('agent')}
      />
      <TextInput type="search" label={t.tool} autoComplete="off" {...field('tool')} />
      <TextInput type="search" label={t.person} autoComplete="off" {...field('person')} />
      <TextInput type="date" label={t.from} max={query.to} {...field('from')} />
      <TextInput type="date" label={t.to} min={query.from} {...field('to')} />
      {/* Always there, so that nothing moves when something is chosen. */}
      <Button
        className={classes.clear}
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<IconX size={15} aria-hidden />}
        disabled={isEmptyQuery(query)}
        onClick={() => onQuery(emptyQuery)}
      >
        {t.clear}
      </Button>
    </div>
  );
}
