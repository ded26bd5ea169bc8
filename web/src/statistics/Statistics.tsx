import { SegmentedControl } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../wire/api';
import { texts } from './texts';
import { useFetched } from '../ui/useFetched';
import type { Stats } from '../wire/wire';
import { DayChart } from './DayChart';
import { outcomes, type Counts } from './outcomes';
import { Empty, Fetching, PageFrame } from '../ui/PageFrame';
import classes from './statistics.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';
import { ShareBar } from './ShareBar';

/** How much is asked, what becomes of it, and how long people take. */
export default function Statistics() {
  const [days, setDays] = useState('7');
  const { got, error, again } = useFetched(`stats ${days}`, () => api.stats(since(Number(days))));
  const t = texts.statsPage;
  const period = (
    <SegmentedControl
      size="xs"
      aria-label={t.period}
      value={days}
      onChange={setDays}
      data={Object.entries(t.periods).map(([value, label]) => ({ value, label }))}
    />
  );
  return (
    <PageFrame title={t.title} note={t.body} actions={period} wide>
      <Fetching error={error} loading={!got && !error} again={again} />
      {got && got.requests === 0 && (
        <Empty icon={<IconChartBar size={38} stroke={1.4} aria-hidden />} title={t.empty} />
      )}
      {got && got.requests > 0 && <Shown stats={got} days={Number(days)} />}
    </PageFrame>
  );
}

function since(days: number): string {
  return new Date(Date.now() - days * 24 * 3600_000).toISOString().replace(/\.\d+Z$/, 'Z');
}

function Shown({ stats, days }: { stats: Stats; days: number }) {
  const t = texts.statsPage;
  return (
    <>
      {stats.partial && <p className={shared.note}>{t.partial}</p>}
      <Figures label={t.requests}>
        <Figure name={t.requests} value={count(stats.requests)} />
        <Figure name={t.approved} value={count(stats.approved)} of="approved" />
        <Figure name={t.deniedByPeople} value={count(stats.denied - stats.deniedByRule)} of="denied" />
        <Figure name={t.deniedByRule} value={count(stats.deniedByRule)} of="denied" />
        <Figure name={t.timeouts} value={count(stats.timeouts)} of="timeouts" />
        <Figure name={t.cancelled} value={count(stats.cancelled)} of="cancelled" />
        <Figure name={t.pending} value={count(stats.pending)} of="pending" />
      </Figures>
      <Figures label={t.decided} title={t.decided}>
        <Figure name={t.byPerson} value={count(stats.byPerson)} />
        <Figure name={t.byRule} value={count(stats.byPolicy)} />
        <Figure name={t.byGrant} value={count(stats.byGrant)} />
      </Figures>
      <Figures label={t.waits} title={t.waits}>
        <Figure name={t.median} value={wait(stats.waits.median)} />
        <Figure name={t.p90} value={wait(stats.waits.p90)} />
        <Figure name={t.max} value={wait(stats.waits.max)} />
      </Figures>
      {days > 1 && <DayChart days={stats.days} span={days} />}
      <Tools stats={stats} />
      <People stats={stats} />
      <Observed stats={stats} />
    </>
  );
}

function Figures({ label, title, children }: { label: string; title?: string; children: React.ReactNode }) {
  return (
    <section className={title ? frame.section : undefined} aria-label={label}>
      {title && <h2 className={frame.sectionTitle}>{title}</h2>}
      <dl className={classes.figures} data-testid="figures">
        {children}
      </dl>
    </section>
  );
}

function Figure({ name, value, of }: { name: string; value: string; of?: keyof Counts }) {
  return (
    <div className={`${shared.panel} ${classes.figure}`} data-of={value === '0' ? undefined : of}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Tools({ stats }: { stats: Stats }) {
  const t = texts.statsPage;
  const heads = [t.tool, t.requests, '', ...outcomes.map((of) => t[of]), t.medianWait];
  const most = Math.max(1, ...stats.tools.map((tool) => tool.requests));
  return (
    <Table title={t.tools} heads={heads}>
      {stats.tools.map((tool) => (
        <tr key={tool.toolName}>
          <th scope="row">{tool.toolName ? <Revealed text={tool.toolName} /> : t.question}</th>
          <td>{count(tool.requests)}</td>
          <td className={classes.shareCell}>
            <ShareBar counts={tool} of={most} />
          </td>
          {outcomes.map((of) => (
            <td key={of}>{count(tool[of])}</td>
          ))}
          <td>{wait(tool.medianWait)}</td>
        </tr>
      ))}
    </Table>
  );
}

function People({ stats }: { stats: Stats }) {
  const t = texts.statsPage;
  if (stats.people.length === 0) return null;
  return (
    <Table title={t.people} heads={[t.person, t.approved, t.denied, t.cancelled, t.medianWait]}>
      {stats.people.map((person) => (
        <tr key={person.subject}>
          <th scope="row">
            <Revealed text={person.subject} />
          </th>
          <td>{count(person.approved)}</td>
          <td>{count(person.denied)}</td>
          <td>{count(person.cancelled)}</td>
          <td>{wait(person.medianWait)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Observed({ stats }: { stats: Stats }) {
  const t = texts.statsPage;
  if (stats.observed.length === 0) return null;
  return (
    <Table title={t.observed} heads={[t.agent, t.wouldAsk, t.denied]}>
      {stats.observed.map((agent) => (
        <tr key={agent.agentId}>
          <th scope="row">
            <Revealed text={agent.agentId} />
          </th>
          <td>{count(agent.wouldAsk)}</td>
          <td>{count(agent.denied)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Table({ title, heads, children }: { title: string; heads: string[]; children: React.ReactNode }) {
  return (
    <section className={frame.section}>
      <h2 className={frame.sectionTitle}>{title}</h2>
      <div className={`${shared.panel} ${classes.tableFrame}`} tabIndex={0} role="group" aria-label={title}>
        <table className={classes.table}>
          <thead>
            <tr>
              {heads.map((head, i) =>
                head ? (
                  <th key={i} scope="col">
                    {head}
                  </th>
                ) : (
                  <td key={i} aria-hidden />
                ),
              )}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}

function count(n: number): string {
  return n.toLocaleString('en');
}

// Zero says that nobody answered, not that somebody was that fast.
function wait(seconds: number): string {
  return seconds > 0 ? texts.formatDuration(seconds) : texts.statsPage.none;
}
