import { NativeSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo } from 'react';
import { visibleText } from '../ui/hiddenCharacters';
import { filterChoices, type Filter } from './filter';
import { texts } from './texts';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import classes from './inbox.module.css';
import type { FilterState } from './useFilter';

interface Props {
  all: readonly ApprovalRequest[];
  filterState: FilterState;
}

const levels: RiskLevel[] = ['critical', 'high', 'medium', 'low'];

/** The search and filters of the list. */
export function FilterBar({ all, filterState }: Props) {
  const { filter, set } = filterState;
  const { agents, tools } = useMemo(() => filterChoices(all), [all]);
  const t = texts.queue;
  return (
    <div className={classes.filter} role="search" aria-label={t.filter}>
      <TextInput
        className={classes.search}
        type="search"
        size="sm"
        aria-label={t.search}
        placeholder={t.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter.q}
        onChange={(e) => set({ q: e.currentTarget.value })}
        autoComplete="off"
        data-key="search"
      />
      <List of="risk" filter={filter} set={set} data={named([...levels, 'none'], nameOfRisk)} />
      <List of="agent" filter={filter} set={set} data={named(agents, visibleText)} />
      <List of="tool" filter={filter} set={set} data={named(tools, visibleText)} />
    </div>
  );
}

interface ListProps {
  of: 'risk' | 'agent' | 'tool';
  filter: Filter;
  set: FilterState['set'];
  data: { value: string; label: string }[];
}

function List({ of, filter, set, data }: ListProps) {
  const t = texts.queue;
  const value = filter[of];
  // What was chosen stays to be seen, also when nothing of it waits any more.
  const all =
    value && !data.some((d) => d.value === value) ? [...data, { value, label: visibleText(value) }] : data;
  return (
    <NativeSelect
      className={classes.select}
      size="sm"
      aria-label={t[of]}
      data={[{ value: '', label: t.any[of] }, ...all]}
      value={value}
      data-chosen={value !== '' || undefined}
      onChange={(e) => set({ [of]: e.currentTarget.value })}
    />
  );
}

function named(
  values: readonly string[],
  name: (value: string) => string,
): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: name(value) }));
}

function nameOfRisk(level: string): string {
  return texts.card.risks[level as RiskLevel] ?? texts.queue.noRisk;
}
