import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconChecks, IconCopy } from '@tabler/icons-react';
import { texts } from './texts';
import type { Proposal, Suggestion } from '../wire/wire';
import { Block } from '../ui/Block';
import { Remark } from '../ui/Remark';
import { SentenceView } from '../ui/SentenceView';
import classes from './suggestions.module.css';
import shared from '../ui/shared.module.css';

interface Props {
  /** A rule, and what it would have done; of the smallest one that is not known. */
  suggestion: Suggestion | Proposal;
  name: string;
  /** What lets such calls run here and now; nothing where that is not offered. */
  onAlways?: (() => void) | undefined;
}

/** A rule that would allow a call: in a sentence, with what it would have done, as a standing approval or as YAML. */
export function SuggestionItem({ suggestion, name, onAlways }: Props) {
  const clipboard = useClipboard({ timeout: 2500 });
  const t = texts.suggestions;
  const tried = 'past' in suggestion ? suggestion : undefined;
  return (
    <section className={classes.suggestion} aria-label={name} data-testid="suggestion">
      <p className={classes.what}>
        {suggestion.sentence ? <SentenceView sentence={suggestion.sentence} /> : name}
      </p>
      {tried && (
        <p className={classes.matched} data-denied={tried.denied > 0 || undefined}>
          {t.matched(tried)}
        </p>
      )}
      <div className={classes.acts}>
        {onAlways && (
          <Button
            type="button"
            size="xs"
            variant="default"
            leftSection={<IconChecks size={16} aria-hidden />}
            onClick={onAlways}
          >
            {t.always}
          </Button>
        )}
        <Button
          type="button"
          size="xs"
          variant="default"
          leftSection={
            clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
          }
          onClick={() => clipboard.copy(suggestion.rule)}
        >
          {clipboard.copied ? t.copied : t.copy}
        </Button>
        <details className={`${shared.disclosure} ${classes.yaml}`}>
          <summary>{t.showYAML}</summary>
          <Block text={suggestion.rule.trimEnd()} label={name} />
        </details>
      </div>
      {clipboard.error && <Remark tone="warn">{t.copyFailed}</Remark>}
    </section>
  );
}
