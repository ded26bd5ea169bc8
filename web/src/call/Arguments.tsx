import { lazy, useMemo, useState } from 'react';
import type { Numbered } from './commandMarks';
import {
  allPart,
  beginningOf,
  formatBytes,
  isLongArguments,
  isLongText,
  textPart,
  type ArgumentBlocks,
} from '../request/arguments';
import { texts } from '../words/texts';
import { FoldNotice } from './FoldNotice';
import classes from './arguments.module.css';
import styles from '../ui/text.module.css';
import shared from '../ui/shared.module.css';
import { Block, Caption } from '../ui/Block';
import { CommandBlock } from './CommandText';
import { CopyButton } from '../ui/CopyButton';
import { JsonTree } from './JsonTree';
import { LazyPart } from '../ui/LazyPart';
import { ReadBox } from '../ui/ReadBox';
import { Revealed } from '../ui/Revealed';
import { VirtualList } from '../ui/VirtualList';
import { ViewChoice } from './ViewChoice';

const SearchableTree = lazy(() => import('./SearchableTree'));

interface Props {
  args: unknown;
  blocks: ArgumentBlocks;
  expanded: boolean;
  onExpand: () => void;
  /** Called with each part (see longParts) once its end was in view. */
  onRead?: (part: string) => void;
  /** The name of an argument that is a command line. */
  command?: string | undefined;
  /** The parts of that line that have an effect. */
  parts?: readonly Numbered[];
  /** To the letter, not as a tree. */
  asText?: boolean;
}

/** A call's complete arguments. Long ones are folded, and must be expanded and read before approval. */
export function Arguments({
  args,
  blocks,
  expanded,
  onExpand,
  onRead = () => undefined,
  command,
  parts,
  asText = false,
}: Props) {
  const folded = isLongArguments(blocks) && !expanded;
  const label = texts.card.arguments;
  const others = blocks.plain.length > 0 ? texts.card.otherArguments : label;
  const readAll = () => onRead(allPart);
  if (blocks.empty) return <p className={shared.quiet}>{texts.card.noArguments}</p>;
  return (
    <div className={classes.arguments}>
      {blocks.plain.map((p) => (
        <div key={p.name}>
          <div className={classes.captionRow}>
            {p.name ? <Caption name={p.name} /> : <span />}
            <CopyButton text={p.text} label={p.name || label} />
          </div>
          <Text
            text={p.text}
            label={p.name || label}
            folded={folded}
            command={p.name === command}
            parts={parts}
            onRead={() => onRead(textPart(p.name))}
          />
        </div>
      ))}
      {asText ? (
        <Members args={args} json={blocks.json} title={label} folded={folded} asText onRead={readAll} />
      ) : (
        blocks.rest !== undefined && (
          <Members
            args={blocks.rest}
            json={blocks.restJSON}
            title={others}
            folded={folded}
            onRead={readAll}
          />
        )
      )}
      {blocks.plain.length > 0 && !asText && <AsJSON json={blocks.json} />}
      {folded && (
        <FoldNotice words={texts.card.folded(blocks.lines, formatBytes(blocks.bytes))} onExpand={onExpand} />
      )}
    </div>
  );
}

interface TextProps {
  text: string;
  label: string;
  folded?: boolean;
  command?: boolean;
  parts?: readonly Numbered[] | undefined;
  onRead?: () => void;
}

/** Verbatim text; a long one scrolls in a box of its own. */
export function Text({ text, label, folded = false, command = false, parts, onRead }: TextProps) {
  const whole = (shown: string, name?: string) =>
    command ? <CommandBlock text={shown} label={name} parts={parts} /> : <Block text={shown} label={name} />;
  if (folded) return whole(beginningOf(text), label);
  if (!isLongText(text)) return whole(text, label);
  return (
    <ReadBox label={label} onRead={onRead}>
      {command ? whole(text) : <Lines text={text} />}
    </ReadBox>
  );
}

/** The lines of a long text, virtualized. */
function Lines({ text }: { text: string }) {
  const lines = useMemo(() => text.split('\n').map((line, i) => ({ line, key: String(i) })), [text]);
  return (
    <div className={styles.block}>
      <VirtualList
        items={lines}
        keyOf={(l) => l.key}
        height={20}
        render={({ line }) => <Revealed text={`${line}\n`} />}
      />
    </div>
  );
}

/** The same again as the tool gets it, for those who want to see the letters; it is made when it is opened. */
function AsJSON({ json }: { json: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className={`${shared.disclosure} ${classes.raw}`}
      onToggle={(e) => setOpen(e.currentTarget.open)}
    >
      <summary>{texts.card.asJSON}</summary>
      {open && <Text text={json} label={texts.card.arguments} />}
    </details>
  );
}

type View = 'tree' | 'text';

interface MembersProps {
  args: unknown;
  json: string;
  title: string;
  folded: boolean;
  asText?: boolean;
  onRead: () => void;
}

function Members({ args, json, title, folded, asText = false, onRead }: MembersProps) {
  const [view, setView] = useState<View>(asText ? 'text' : 'tree');
  const t = texts.card;
  const asTree = typeof args === 'object' && args !== null;
  const shown: View = folded || !asTree ? 'text' : view;
  return (
    <div>
      <div className={classes.captionRow}>
        <Caption title={title} note={shown === 'text' ? 'JSON' : ''} />
        <span className={classes.captionTools}>
          {asTree && !folded && (
            <ViewChoice
              label={t.view}
              views={[
                ['tree', t.tree],
                ['text', t.text],
              ]}
              chosen={view}
              onChoose={setView}
            />
          )}
          <CopyButton text={json} label={title} />
        </span>
      </div>
      {shown === 'text' && <Text text={json} label={title} folded={folded} onRead={onRead} />}
      {shown === 'tree' &&
        (isLongText(json) ? (
          <LazyPart>
            <SearchableTree value={args as object} label={title} onRead={onRead} />
          </LazyPart>
        ) : (
          <JsonTree value={args} label={title} />
        ))}
    </div>
  );
}
