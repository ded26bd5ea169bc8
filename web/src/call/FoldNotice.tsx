import { Button } from '@mantine/core';
import { IconArrowsVertical } from '@tabler/icons-react';
import { texts } from '../words/texts';
import classes from './fold.module.css';

/** Says that only the beginning is shown, and opens the rest. */
export function FoldNotice({ words, onExpand }: { words: string; onExpand: () => void }) {
  return (
    <div className={classes.fold}>
      <span>{words}</span>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconArrowsVertical size={14} aria-hidden />}
        onClick={onExpand}
      >
        {texts.card.expand}
      </Button>
    </div>
  );
}
