import { SuggestionItem } from './SuggestionItem';
import { texts } from './texts';
import type { Proposal, Suggestion } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import classes from './suggestions.module.css';

const most = 3;

interface Props<One> {
  list: readonly One[];
  agentId: string;
  /** What lets the calls of one run here and now; nothing where that is not offered. */
  always?: (one: One) => (() => void) | undefined;
}

/** Rules that would allow a call, from narrow to wide, and what to do with them. */
export function Suggestions<One extends Suggestion | Proposal>({ list, agentId, always }: Props<One>) {
  const t = texts.suggestions;
  return (
    <div className={classes.list}>
      {list.slice(0, most).map((one, i) => (
        <SuggestionItem key={i} suggestion={one} name={t.rule(i + 1)} onAlways={always?.(one)} />
      ))}
      <p className={classes.where}>
        <Revealed text={t.where(agentId)} mode="prose" />
      </p>
    </div>
  );
}
