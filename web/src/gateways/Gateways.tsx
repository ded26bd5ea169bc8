import { useDocumentVisibility } from '@mantine/hooks';
import { IconServer2 } from '@tabler/icons-react';
import { useEffect } from 'react';
import { api } from '../wire/api';
import type { ClusterNode } from '../wire/wire';
import { useStore } from '../store/store';
import { useFetched } from '../ui/useFetched';
import { Empty, Fetching, PageFrame } from '../ui/PageFrame';
import { Revealed } from '../ui/Revealed';
import { ago } from '../words/times';
import { texts } from './texts';
import classes from './gateways.module.css';
import shared from '../ui/shared.module.css';

/** The gateways of a cluster, and what each does. */
export default function Gateways() {
  const allowed = useStore((s) => !s.identity?.agents?.length);
  const t = texts.gatewaysPage;
  if (allowed) return <Allowed />;
  return (
    <PageFrame title={t.title}>
      <p>{t.noRight}</p>
    </PageFrame>
  );
}

const every = 5_000;

function Allowed() {
  const t = texts.gatewaysPage;
  const { got, error, again } = useFetched('nodes', async () => ({
    nodes: await api.nodes(),
    now: Date.now(),
  }));
  const visible = useDocumentVisibility() === 'visible';
  useEffect(() => {
    if (!visible) return undefined;
    const timer = setInterval(again, every);
    return () => clearInterval(timer);
    // again is the same whenever it was made.
  }, [visible]);
  const some = got !== undefined && got.nodes.length > 0;
  return (
    <PageFrame title={t.title} {...(some && { note: t.body })} wide>
      <Fetching error={error} loading={!got && !error} again={again} />
      {some && <Table nodes={got.nodes} now={got.now} />}
      {got && !some && (
        <Empty icon={<IconServer2 size={38} stroke={1.4} aria-hidden />} title={t.alone} body={t.aloneBody} />
      )}
    </PageFrame>
  );
}

const columns = ['gateway', 'state', 'since', 'sessions', 'behind', 'sign', 'version'] as const;

// The roles are written out: on a narrow screen, rows are blocks.
function Table({ nodes, now }: { nodes: readonly ClusterNode[]; now: number }) {
  const t = texts.gatewaysPage;
  return (
    <div className={shared.panel}>
      <table className={classes.table} role="table" aria-label={t.title} data-testid="gateways">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column} scope="col" role="columnheader">
                {t[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {nodes.map((node) => (
            <Row key={node.name} node={node} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ node, now }: { node: ClusterNode; now: number }) {
  const t = texts.gatewaysPage;
  const works = node.state === 'works';
  return (
    <tr role="row" data-state={node.state}>
      <th scope="row" role="rowheader">
        <Revealed text={node.name} />
        {node.here && <span className={classes.here}>{t.here}</span>}
        {node.differs?.map((d) => (
          <span key={d.agentId} className={classes.differs}>
            {t.differs} <Revealed text={d.agentId} /> ({short(d.digest)}; {short(d.counts)} {t.counts})
          </span>
        ))}
      </th>
      <Cell of="state">
        <span className={classes.state}>{t.states[node.state] ?? <Revealed text={node.state} />}</span>
      </Cell>
      <Cell of="since">
        <time dateTime={node.since}>{ago(Date.parse(node.since), now)}</time>
      </Cell>
      <Cell of="sessions">{works ? node.sessions.toLocaleString('en') : t.none}</Cell>
      <Cell of="behind">{works ? t.commits(node.behind) : t.none}</Cell>
      <Cell of="sign">{t.silent(node.silentSeconds)}</Cell>
      <Cell of="version">{node.version ? <Revealed text={node.version} /> : t.none}</Cell>
    </tr>
  );
}

// As many characters of a digest as tell it from others.
const short = (digest: string) => digest.replace('sha256:', '').slice(0, 8);

function Cell({ of, children }: { of: (typeof columns)[number]; children: React.ReactNode }) {
  return (
    <td role="cell" data-label={texts.gatewaysPage[of]}>
      {children}
    </td>
  );
}
