import { Button } from '@mantine/core';
import { IconArrowsVertical } from '@tabler/icons-react';
import { formatBytes, head, isLong, type ArgumentBlocks } from '../arguments';
import { texts } from '../texts';
import { Block, Caption } from './Block';
import classes from './card.module.css';

interface Props {
  blocks: ArgumentBlocks;
  expanded: boolean;
  onExpand: () => void;
}

/** The complete arguments of a call that waits. Long ones are opened before they are approved. */
export function Arguments({ blocks, expanded, onExpand }: Props) {
  const folded = isLong(blocks) && !expanded;
  if (blocks.empty) return <p className={classes.quiet}>{texts.card.noArguments}</p>;
  const cut = (text: string) => (folded ? head(text) : text);
  return (
    <div className={classes.arguments}>
      {blocks.plain.map((p) => (
        <div key={p.name}>
          {p.name && <Caption name={p.name} />}
          <Block text={cut(p.text)} label={p.name || texts.card.arguments} />
        </div>
      ))}
      <div>
        <Caption title={texts.card.arguments} note="JSON" />
        <Block text={cut(blocks.json)} label={texts.card.arguments} />
      </div>
      {folded && (
        <div className={classes.fold}>
          <span>{texts.card.folded(blocks.lines, formatBytes(blocks.bytes))}</span>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowsVertical size={14} aria-hidden />}
            onClick={onExpand}
          >
            {texts.card.expand}
          </Button>
        </div>
      )}
    </div>
  );
}
