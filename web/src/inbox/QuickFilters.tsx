import { texts } from './texts';
import classes from './inbox.module.css';
import type { FilterState } from './useFilter';

interface Props {
  all: number;
  skipped: number;
  filterState: FilterState;
}

/** Filters for what is needed most: all, ending soon, skipped. */
export function QuickFilters({ all, skipped, filterState }: Props) {
  const { filter, set, ending } = filterState;
  const t = texts.inbox;
  const choices = [
    { show: '' as const, words: t.all, n: all },
    { show: 'ending' as const, words: t.ending, n: ending },
    { show: 'skipped' as const, words: t.skipped, n: skipped },
  ];
  return (
    <div className={classes.quick} role="group" aria-label={t.quick}>
      {choices.map(({ show, words, n }) => {
        if (show && n === 0 && filter.show !== show) return null;
        return (
          <button
            key={show}
            type="button"
            aria-pressed={filter.show === show}
            data-urgent={(show === 'ending' && n > 0) || undefined}
            onClick={() => set({ show })}
          >
            {words} <span>{n.toLocaleString('en')}</span>
          </button>
        );
      })}
    </div>
  );
}
