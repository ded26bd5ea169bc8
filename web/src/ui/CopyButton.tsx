import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { texts } from '../words/texts';

/** Copies a text as it is, and says in the same space that it has. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const clipboard = useClipboard({ timeout: 2500 });
  const t = texts.card;
  return (
    <Button
      type="button"
      size="compact-xs"
      variant="subtle"
      color="gray"
      w={clipboard.error ? 110 : 84}
      title={label}
      leftSection={
        clipboard.copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />
      }
      onClick={() => clipboard.copy(text)}
    >
      {clipboard.error ? t.copyFailed : clipboard.copied ? t.copied : t.copy}
    </Button>
  );
}
