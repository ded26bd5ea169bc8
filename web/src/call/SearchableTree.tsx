import { Button, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconCheck, IconChevronRight, IconCopy } from '@tabler/icons-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { ReadBox } from '../ui/ReadBox';
import { Remark } from '../ui/Remark';
import { Revealed } from '../ui/Revealed';
import { VirtualList, type Jump } from '../ui/VirtualList';
import { texts } from '../words/texts';
import { Leaf } from './JsonTree';
import classes from './tree.module.css';
import { find, openedTo, treeRows, unfolded, type TreeRow } from './treeRows';

interface Props {
  value: object;
  label: string;
  /** Called once the end was in view with nothing folded. */
  onRead: () => void;
}

// Indentation stops growing at this depth.
const deepest = 20;

/** Long arguments as a virtualized tree. Starts unfolded. */
export default function SearchableTree({ value, label, onRead }: Props) {
  const rows = useMemo(() => treeRows(value), [value]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => unfolded(rows, folded), [rows, folded]);
  const [current, setCurrent] = useState<TreeRow>();
  const [jump, setJump] = useState<Jump>();
  const t = texts.tree;
  const go = (to: TreeRow) => {
    setFolded(openedTo(rows, folded, to));
    setCurrent(to);
    setJump({ key: to.key, quiet: true });
  };
  const toggle = (row: TreeRow) => {
    const next = new Set(folded);
    if (!next.delete(row.key)) next.add(row.key);
    setFolded(next);
  };
  const foldAll = () => setFolded(new Set(rows.filter((r) => r.size > 0 && r.depth === 0).map((r) => r.key)));
  return (
    <div className={classes.searchable}>
      <div className={classes.tools}>
        <Search rows={rows} current={current} onGo={go} />
        <Button size="compact-sm" variant="default" onClick={foldAll}>
          {t.foldAll}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={folded.size === 0}
          onClick={() => setFolded(new Set())}
        >
          {t.unfoldAll}
        </Button>
      </div>
      <ReadBox label={label} onRead={folded.size === 0 ? onRead : undefined} testId="tree">
        <VirtualList
          items={shown}
          keyOf={keyOf}
          height={22}
          jump={jump}
          render={(row) => (
            <Row
              row={row}
              folded={folded.has(row.key)}
              current={row === current}
              onToggle={() => toggle(row)}
            />
          )}
        />
      </ReadBox>
      {folded.size > 0 && <Remark tone="warn">{t.folded(folded.size)}</Remark>}
    </div>
  );
}

const keyOf = (row: TreeRow) => row.key;

interface SearchProps {
  rows: readonly TreeRow[];
  current: TreeRow | undefined;
  onGo: (to: TreeRow) => void;
}

/** Searches names and values, folded or not. Enter goes to the next match, Shift+Enter to the previous. */
function Search({ rows, current, onGo }: SearchProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const found = useMemo(() => find(rows, wanted), [rows, wanted]);
  const at = current ? found.indexOf(current) : -1;
  const t = texts.tree;
  const step = (by: 1 | -1) => {
    if (found.length === 0) return;
    const from = at < 0 && by < 0 ? 0 : at;
    onGo(found[(from + by + found.length) % found.length]!);
  };
  return (
    <>
      <TextInput
        className={classes.search}
        size="xs"
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(e) => setText(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== 'Enter') return;
          e.preventDefault();
          step(e.shiftKey ? -1 : 1);
        }}
      />
      <span className={classes.found} role="status">
        {wanted !== '' &&
          (found.length === 0 ? t.none : at < 0 ? t.found(found.length) : t.at(at + 1, found.length))}
      </span>
      <Button.Group>
        {(
          [
            [-1, t.previous, IconArrowUp],
            [1, t.next, IconArrowDown],
          ] as const
        ).map(([by, words, Icon]) => (
          <Button
            key={by}
            size="compact-sm"
            variant="default"
            aria-label={words}
            disabled={found.length === 0}
            onClick={() => step(by)}
          >
            <Icon size={15} aria-hidden />
          </Button>
        ))}
      </Button.Group>
    </>
  );
}

interface RowProps {
  row: TreeRow;
  folded: boolean;
  current: boolean;
  onToggle: () => void;
}

function Row({ row, folded, current, onToggle }: RowProps) {
  const { name, index, size, value, depth } = row;
  const shown = (
    <span className={index ? classes.index : classes.name}>
      <Revealed text={name} />
    </span>
  );
  return (
    <div
      className={classes.member}
      style={{ paddingLeft: Math.min(depth, deepest) * 18 }}
      data-current={current || undefined}
    >
      {size > 0 ? (
        <button type="button" className={classes.toggle} aria-expanded={!folded} onClick={onToggle}>
          <IconChevronRight size={14} aria-hidden />
          {shown}
          <span className={classes.kind}>
            {Array.isArray(value) ? texts.card.items(size) : texts.card.members(size)}
          </span>
        </button>
      ) : (
        <span className={`${classes.row} ${classes.leaf}`}>
          {shown}
          <Leaf value={value} />
        </span>
      )}
      <CopyPath path={row.path} />
    </div>
  );
}

function CopyPath({ path }: { path: string }) {
  const clipboard = useClipboard({ timeout: 2500 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  const words = clipboard.copied ? texts.tree.pathCopied : texts.tree.copyPath;
  return (
    <button
      type="button"
      className={classes.path}
      aria-label={words}
      title={`${words}: ${path}`}
      onClick={() => clipboard.copy(path)}
    >
      <Icon size={13} aria-hidden />
    </button>
  );
}
