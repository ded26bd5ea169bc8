import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from '../store/store';
import type { RiskLevel } from '../wire/wire';
import { everything, type HistorySearch } from './search';
import { texts } from './texts';
import classes from './history.module.css';

interface Props {
  search: HistorySearch;
  onSearch: (search: HistorySearch) => void;
}

// The gateway is asked once typing stops for this long, in ms.
const rest = 300;

/** The search and filters of History. */
export function SearchBar({ search, onSearch }: Props) {
  const agents = useStore((s) => s.agents);
  const [typed, setTyped] = useState(search);
  useEffect(() => {
    setTyped(search);
  }, [search]);
  useEffect(() => {
    if (typed === search) return undefined;
    const timer = setTimeout(() => onSearch(typed), rest);
    return () => clearTimeout(timer);
  }, [typed, search, onSearch]);
  const t = texts.historyPage;
  const field = (name: keyof HistorySearch) => ({
    size: 'sm',
    value: typed[name],
    onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setTyped({ ...typed, [name]: e.currentTarget.value }),
  });
  const names = agents?.map((a) => a.agentId) ?? [];
  return (
    <div className={classes.filter} role="search" aria-label={t.filters}>
      <TextInput
        type="search"
        label={t.text}
        className={classes.filterText}
        leftSection={<IconSearch size={16} aria-hidden />}
        autoComplete="off"
        {...field('q')}
      />
      <NativeSelect label={t.outcome} data={options(t.outcomes, t.any)} {...field('outcome')} />
      <NativeSelect
        label={t.agent}
        data={[
          { value: '', label: t.any },
          ...names.filter((name) => name !== 'external'),
          { value: 'external', label: t.programs },
        ]}
        {...field('agentId')}
      />
      <TextInput type="search" label={t.tool} autoComplete="off" {...field('toolName')} />
      <NativeSelect label={t.risk} data={options(texts.card.levels, t.any)} {...field('risk')} />
      <TextInput type="search" label={t.person} autoComplete="off" {...field('answeredBy')} />
      <TextInput type="date" label={t.from} max={typed.to} {...field('from')} />
      <TextInput type="date" label={t.to} min={typed.from} {...field('to')} />
      {/* Always shown, so that nothing moves when a filter is set. */}
      <Button
        className={classes.clear}
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<IconX size={15} aria-hidden />}
        disabled={Object.values(typed).every((value) => value === '')}
        onClick={() => {
          setTyped(everything); // what was typed just now is not searched for any more
          onSearch(everything);
        }}
      >
        {t.clear}
      </Button>
    </div>
  );
}

function options(words: Record<RiskLevel, string> | Record<string, string>, any: string) {
  return [{ value: '', label: any }, ...Object.entries(words).map(([value, label]) => ({ value, label }))];
}
