import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react';
import { useId, useMemo, useState } from 'react';
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

/** Finds a request among many. On narrow screens the lists open on demand. */
export function InboxFilter({ all, filterState }: Props) {
  const { filter, set, clear, filtered } = filterState;
  const [open, setOpen] = useState(false);
  const listsId = useId();
  const { agents, tools } = useMemo(() => filterChoices(all), [all]);
  const t = texts.queue;
  const chosen = [filter.risk, filter.agent, filter.tool, filter.type].filter(Boolean).length;
  return (
    <div className={classes.filter} role="search" aria-label={t.filter}>
      <TextInput
        className={classes.search}
        type="search"
        size="sm"
        aria-label={t.search}
        placeholder={t.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={filter.words}
        onChange={(e) => set({ words: e.currentTarget.value })}
        autoComplete="off"
        data-key="search"
      />
      <Button
        className={classes.filterButton}
        variant="default"
        size="sm"
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
        aria-expanded={open}
        aria-controls={listsId}
        onClick={() => setOpen(!open)}
      >
        {t.filters(chosen)}
      </Button>
      <div className={classes.lists} id={listsId} data-open={open || undefined}>
        <List of="risk" filter={filter} set={set} data={named([...levels, 'none'], nameOfRisk)} />
        <List of="agent" filter={filter} set={set} data={named(agents, visibleText)} />
        <List of="tool" filter={filter} set={set} data={named(tools, visibleText)} />
        <List
          of="type"
          filter={filter}
          set={set}
          data={named(Object.keys(t.types), (k) => t.types[k] ?? k)}
        />
        {/* Always there, so that nothing moves when something is chosen. */}
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          disabled={!filtered}
          leftSection={<IconX size={15} aria-hidden />}
          onClick={clear}
        >
          {t.clear}
        </Button>
      </div>
    </div>
  );
}

interface ListProps {
  of: Exclude<keyof Filter, 'words'>;
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
