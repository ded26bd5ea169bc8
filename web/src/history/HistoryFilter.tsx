import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { anything, isAnything, type Wanted } from './filterHistory';
import { useStore } from '../store/store';
import { texts } from './texts';
import classes from './history.module.css';

interface Props {
  wanted: Wanted;
  onWant: (wanted: Wanted) => void;
}

/** Which requests of the past to show. */
export function HistoryFilter({ wanted, onWant }: Props) {
  const agents = useStore((s) => s.agents);
  const t = texts.historyPage;
  const field = (name: keyof Wanted) => ({
    size: 'sm',
    value: wanted[name],
    onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      onWant({ ...wanted, [name]: e.currentTarget.value }),
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
      <TextInput type="date" label={t.from} max={wanted.to} {...field('from')} />
      <TextInput type="date" label={t.to} min={wanted.from} {...field('to')} />
      {/* Always there, so that nothing moves when something is chosen. */}
      <Button
        className={classes.clear}
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<IconX size={15} aria-hidden />}
        disabled={isAnything(wanted)}
        onClick={() => onWant(anything)}
      >
        {t.clear}
      </Button>
    </div>
  );
}
