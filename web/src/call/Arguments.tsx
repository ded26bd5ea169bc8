import type { Numbered } from './commandMarks';
import { useState } from 'react';
import { formatBytes, beginningOf, isLongArguments, type ArgumentBlocks } from '../request/arguments';
import { texts } from '../words/texts';
import { FoldNotice } from './FoldNotice';
import classes from './arguments.module.css';
import shared from '../ui/shared.module.css';
import { Block, Caption } from '../ui/Block';
import { CommandBlock } from './CommandText';
import { CopyButton } from '../ui/CopyButton';
import { countNodes, JsonTree, mostNodes } from './JsonTree';

interface Props {
  args: unknown;
  blocks: ArgumentBlocks;
  expanded: boolean;
  onExpand: () => void;
  /** The name of an argument that is a command line. */
  command?: string | undefined;
  /** What has an effect in that line. */
  parts?: readonly Numbered[];
  /** To the letter, not as a tree. */
  asText?: boolean;
}

/** The complete arguments of a call that waits. Long ones are opened before they are approved. */
export function Arguments({ args, blocks, expanded, onExpand, command, parts, asText = false }: Props) {
  const folded = isLongArguments(blocks) && !expanded;
  const label = texts.card.arguments;
  if (blocks.empty) return <p className={shared.quiet}>{texts.card.noArguments}</p>;
  const cut = (text: string) => (folded ? beginningOf(text) : text);
  return (
    <div className={classes.arguments}>
      {blocks.plain.map((p) => (
        <div key={p.name}>
          <div className={classes.captionRow}>
            {p.name ? <Caption name={p.name} /> : <span />}
            <CopyButton text={p.text} label={p.name || label} />
          </div>
          {p.name === command ? (
            <CommandBlock text={cut(p.text)} label={p.name} {...(parts && { parts })} />
          ) : (
            <Block text={cut(p.text)} label={p.name || label} />
          )}
        </div>
      ))}
      {blocks.plainOnly && !asText ? (
        <AsJSON json={blocks.json} />
      ) : (
        <Members args={args} blocks={blocks} folded={folded} asText={asText} />
      )}
      {folded && (
        <FoldNotice words={texts.card.folded(blocks.lines, formatBytes(blocks.bytes))} onExpand={onExpand} />
      )}
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
      {open && <Block text={json} label={texts.card.arguments} />}
    </details>
  );
}

type View = 'tree' | 'text';

interface MembersProps {
  args: unknown;
  blocks: ArgumentBlocks;
  folded: boolean;
  asText: boolean;
}

function Members({ args, blocks, folded, asText }: MembersProps) {
  const [view, setView] = useState<View>(asText ? 'text' : 'tree');
  const t = texts.card;
  const asTree = typeof args === 'object' && args !== null && countNodes(args) <= mostNodes;
  const shown: View = folded || !asTree ? 'text' : view;
  return (
    <div>
      <div className={classes.captionRow}>
        <Caption title={t.arguments} note={shown === 'text' ? 'JSON' : ''} />
        <span className={classes.captionTools}>
          {asTree && !folded && (
            <span className={classes.views} role="group" aria-label={t.view}>
              {(['tree', 'text'] as const).map((v) => (
                <button key={v} type="button" aria-pressed={view === v} onClick={() => setView(v)}>
                  {t[v]}
                </button>
              ))}
            </span>
          )}
          <CopyButton text={blocks.json} label={t.arguments} />
        </span>
      </div>
      {shown === 'tree' ? (
        <JsonTree value={args} label={t.arguments} />
      ) : (
        <Block text={folded ? beginningOf(blocks.json) : blocks.json} label={t.arguments} />
      )}
    </div>
  );
}
