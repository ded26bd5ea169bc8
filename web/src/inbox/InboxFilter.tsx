import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconSearch, IconX } from '@tabler/icons-react';
import { useId, useMemo, useState } from 'react';
import { pieces } from '../ui/hidden';
import { choicesOf, type Sieve } from './queue';
import { texts } from './texts';
import type { ApprovalRequest, RiskLevel } from '../wire/wire';
import classes from './inbox.module.css';
import type { Sifting } from './useSieve';

interface Props {
  all: readonly ApprovalRequest[];
  sifting: Sifting;
}

const levels: RiskLevel[] = ['critical', 'high', 'medium', 'low'];

/** Finds a request among many. On narrow screens the lists open on demand. */
export function InboxFilter({ all, sifting }: Props) {
  const { sieve, set, clear, sifted } = sifting;
  const [open, setOpen] = useState(false);
  const listsId = useId();
  const { agents, tools } = useMemo(() => choicesOf(all), [all]);
  const t = texts.queue;
  const chosen = [sieve.risk, sieve.agent, sieve.tool, sieve.type].filter(Boolean).length;
  return (
    <div className={classes.filter} role="search" aria-label={t.sift}>
      <TextInput
        className={classes.search}
        type="search"
        size="sm"
        aria-label={t.search}
        placeholder={t.search}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={sieve.words}
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
        <List of="risk" sieve={sieve} set={set} data={named([...levels, 'none'], nameOfRisk)} />
        <List of="agent" sieve={sieve} set={set} data={named(agents, plain)} />
        <List of="tool" sieve={sieve} set={set} data={named(tools, plain)} />
        <List of="type" sieve={sieve} set={set} data={named(Object.keys(t.types), (k) => t.types[k] ?? k)} />
        {/* Always there, so that nothing moves when something is chosen. */}
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          disabled={!sifted}
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
  of: Exclude<keyof Sieve, 'words'>;
  sieve: Sieve;
  set: Sifting['set'];
  data: { value: string; label: string }[];
}

function List({ of, sieve, set, data }: ListProps) {
  const t = texts.queue;
  const value = sieve[of];
  // What was chosen stays to be seen, also when nothing of it waits any more.
  const all =
    value && !data.some((d) => d.value === value) ? [...data, { value, label: plain(value) }] : data;
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

// A list of the browser's own shows plain text only.
function plain(text: string): string {
  return pieces(text)
    .map((p) => p.text)
    .join('');
}
