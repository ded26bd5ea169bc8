import { Button, Menu } from '@mantine/core';
import { IconDownload, IconHistory, IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatTime } from '../ui/clock';
import { download } from '../ui/download';
import { emptyQuery, filterHistory, isEmptyQuery, type HistoryQuery } from './filterHistory';
import { pretty } from '../wire/json';
import { asCSV } from './csv';
import { texts } from './texts';
import type { Approval } from '../wire/wire';
import { VirtualList } from '../ui/VirtualList';
import { HistoryFilter } from './HistoryFilter';
import { HistoryRow } from './HistoryRow';
import { Empty, Fetching, PageFrame } from '../ui/PageFrame';
import classes from './history.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { useHistory } from './useHistory';

const keyOf = (a: Approval) => a.approvalId;

/** What was asked and what became of it. */
export default function History() {
  const [query, setWanted] = useState<HistoryQuery>(emptyQuery);
  const { list, whole, busy, error, more, again } = useHistory(query.status, query.agent);
  const shown = useMemo(() => filterHistory(list ?? [], query), [list, query]);
  const t = texts.historyPage;
  const oldest = list?.at(-1);
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
      <Export list={shown} />
    </span>
  );
  const icon = <IconHistory size={38} stroke={1.4} aria-hidden />;
  return (
    <PageFrame title={t.title} note={t.body} actions={actions} wide>
      <HistoryFilter query={query} onQuery={setWanted} />
      <p className={classes.count} role="status">
        {list &&
          [
            t.shown(shown.length, list.length, whole),
            !whole && oldest && t.back(formatTime(oldest.requestedAt)),
          ]
            .filter(Boolean)
            .join(', ')}
      </p>
      <Fetching error={error} loading={!list && !error} again={again} />
      {list && shown.length === 0 && !error && (
        <Empty
          icon={icon}
          title={list.length === 0 && isEmptyQuery(query) ? t.empty : t.noneFits}
          body={list.length === 0 && isEmptyQuery(query) ? t.emptyBody : t.noneFitsBody}
        />
      )}
      {shown.length > 0 && (
        <div className={shared.panel} data-testid="history">
          <VirtualList items={shown} keyOf={keyOf} height={62} render={(a) => <HistoryRow approval={a} />} />
        </div>
      )}
      {list && !whole && (
        <div className={classes.more}>
          <Button variant="default" loading={busy} onClick={more}>
            {t.more}
          </Button>
        </div>
      )}
    </PageFrame>
  );
}

/** Takes along what is shown, no more and no less. */
function Export({ list }: { list: readonly Approval[] }) {
  const t = texts.historyPage;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} aria-hidden />}
          disabled={list.length === 0}
        >
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download(`${t.file}.json`, 'application/json', `${pretty(list)}\n`)}>
          {t.json}
        </Menu.Item>
        <Menu.Item onClick={() => download(`${t.file}.csv`, 'text/csv', asCSV(list))}>{t.csv}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
