import { Button, Menu } from '@mantine/core';
import { IconDownload, IconHistory, IconRefresh } from '@tabler/icons-react';
import { useCallback, useContext, useMemo, useState } from 'react';
import { goTo, href, useQuery } from '../browser/route';
import { formatTime } from '../ui/clock';
import { download } from '../ui/download';
import { api } from '../wire/api';
import { asked, queryOf, searchIn, type HistorySearch } from './search';
import { texts } from './texts';
import type { Approval } from '../wire/wire';
import { StoreContext } from '../store/store';
import { VirtualList } from '../ui/VirtualList';
import { HistoryRow } from './HistoryRow';
import { SearchBar } from './SearchBar';
import { Empty, Fetching, PageFrame } from '../ui/PageFrame';
import classes from './history.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { useHistory } from './useHistory';

const keyOf = (a: Approval) => a.approvalId;

/** All stored requests and what became of them. */
export default function History() {
  const query = useQuery();
  const search = useMemo(() => searchIn(query), [query]);
  const filters = useMemo(() => asked(search), [search]);
  const { list, next, searchedTo, busy, error, more, again } = useHistory(filters);
  const set = useCallback((to: HistorySearch) => goTo(href({ view: 'history' }, queryOf(to)), 'replace'), []);
  const filtered = Object.keys(filters).length > 0;
  const t = texts.historyPage;
  const actions = (
    <span className={frame.actions}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={15} aria-hidden />}
        disabled={busy}
        onClick={again}
      >
        {t.again}
      </Button>
      <Export filters={filters} disabled={list?.length === 0} />
    </span>
  );
  return (
    <PageFrame title={t.title} note={t.body} actions={actions} wide>
      <SearchBar search={search} onSearch={set} />
      <p className={classes.count} role="status">
        {list && t.found(list.length, next !== '', searchedTo && formatTime(searchedTo))}
      </p>
      <Fetching error={error} loading={!list && !error} again={again} />
      {list?.length === 0 && next === '' && !error && (
        <Empty
          icon={<IconHistory size={38} stroke={1.4} aria-hidden />}
          title={filtered ? t.noneFits : t.empty}
          body={filtered ? t.noneFitsBody : t.emptyBody}
        />
      )}
      {list && list.length > 0 && (
        <div className={`${shared.panel} ${classes.rows}`} data-testid="history">
          <VirtualList items={list} keyOf={keyOf} height={62} render={(a) => <HistoryRow approval={a} />} />
        </div>
      )}
      {next !== '' && (
        <div className={classes.more}>
          <Button variant="default" loading={busy} onClick={more}>
            {t.more}
          </Button>
        </div>
      )}
    </PageFrame>
  );
}

/** Exports everything that matches the filters, even what isn't loaded yet. */
function Export({ filters, disabled }: { filters: Record<string, string>; disabled: boolean }) {
  const store = useContext(StoreContext);
  const [busy, setBusy] = useState(false);
  const t = texts.historyPage;
  const take = async (format: 'csv' | 'jsonl') => {
    setBusy(true);
    try {
      download(`${t.file}.${format}`, await api.exportApprovals({ ...filters, format }));
    } catch (error) {
      store.dispatch({ type: 'trouble', text: (error as Error).message });
    }
    setBusy(false);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          disabled={disabled}
          loading={busy}
        >
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void take('jsonl')}>{t.json}</Menu.Item>
        <Menu.Item onClick={() => void take('csv')}>{t.csv}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
