import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { texts } from './texts';
import { pageSize } from './InboxCards';
import classes from './inbox.module.css';

interface Props {
  page: number;
  total: number;
  onPage: (page: number) => void;
}

/** The way through more cards than a page holds. */
export function InboxPages({ page, total, onPage }: Props) {
  if (total <= pageSize) return null;
  const from = page * pageSize;
  const to = Math.min(total, from + pageSize);
  const t = texts.queue;
  return (
    <nav className={classes.pages} aria-label={t.pages}>
      <Button
        variant="default"
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      >
        {t.earlier}
      </Button>
      <span data-testid="page">{t.page(from + 1, to, total)}</span>
      <Button
        variant="default"
        rightSection={<IconChevronRight size={16} aria-hidden />}
        disabled={to >= total}
        onClick={() => onPage(page + 1)}
      >
        {t.later}
      </Button>
    </nav>
  );
}
