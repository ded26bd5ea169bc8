import { Button } from '@mantine/core';
import { IconCopy, IconRefresh } from '@tabler/icons-react';
import { useContext, useEffect, useState } from 'react';
import { formatTime, useTicking } from '../ui/clock';
import { DiagnosticsContext, type Diagnosable } from '../connection/context';
import { useStore } from '../store/store';
import type { State } from '../store/state';
import { texts } from './texts';
import classes from './settings.module.css';
import frame from '../ui/page.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** How this tab's line to the gateway is. */
export function Diagnostics() {
  const line = useContext(DiagnosticsContext);
  const connection = useStore((s) => s.connection);
  const offset = useStore((s) => s.clockOffset);
  const now = useTicking(true);
  const { trips, again } = useTrips(line, connection.phase === 'online');
  const [copied, setCopied] = useState('');
  const t = texts.connectionPage;
  const facts = factsOf(line, connection, offset, trips, now);
  const copy = async () => {
    const text = facts.map(([name, value]) => `${name}: ${value}`).join('\n');
    try {
      await navigator.clipboard.writeText(`${new Date().toISOString()}\n${text}\n`);
      setCopied(t.copied);
    } catch {
      setCopied(t.copyFailed);
    }
  };
  return (
    <section className={classes.connection} aria-labelledby="connection-title">
      <h2 className={frame.sectionTitle} id="connection-title">
        {t.title}
      </h2>
      <dl className={`${shared.panel} ${classes.facts}`} data-testid="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Revealed text={value} />
            </dd>
          </div>
        ))}
      </dl>
      <div className={frame.actions}>
        <Button
          variant="default"
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={() => void copy()}
        >
          {t.copy}
        </Button>
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={again}>
          {t.again}
        </Button>
        <span className={shared.note} role="status">
          {copied}
        </span>
      </div>
    </section>
  );
}

/** Round trips, in ms, the newest last; nothing for one that was not answered. */
type Trips = readonly (number | undefined)[];

const measureEvery = 5000;
const kept = 20;

function useTrips(line: Diagnosable, online: boolean): { trips: Trips; again: () => void } {
  const [trips, setTrips] = useState<Trips>([]);
  const [wish, setWish] = useState(0);
  useEffect(() => {
    if (!online) return;
    let over = false;
    const measure = async () => {
      const took = await line.ping().catch(() => undefined);
      if (!over) setTrips((old) => [...old.slice(1 - kept), took]);
    };
    void measure();
    const timer = setInterval(() => void measure(), measureEvery);
    return () => {
      over = true;
      clearInterval(timer);
    };
  }, [line, online, wish]);
  return { trips, again: () => setWish((n) => n + 1) };
}

function factsOf(
  { stats }: Diagnosable,
  { phase, attempts }: State['connection'],
  offset: number,
  trips: Trips,
  now: number,
): [string, string][] {
  const t = texts.connectionPage;
  const c = texts.connection;
  const { lastClose, lastError, since } = stats;
  return [
    [t.phase, phase === 'offline' ? c.offline(attempts) : c[phase]],
    [t.trip, tripsInWords(trips)],
    [t.clock, clockInWords(offset)],
    [t.since, since === undefined ? t.not : timeOf(since)],
    [
      t.heard,
      stats.heardAt
        ? t.ago(texts.formatDuration(Math.max(0, Math.round((now - stats.heardAt) / 1000))))
        : t.never,
    ],
    [t.frames, t.counts(stats.received, stats.sent)],
    [t.reconnects, t.times(Math.max(0, stats.connects - 1))],
    [
      t.lastClose,
      lastClose ? `${lastClose.code} ${lastClose.reason}`.trim() + `, ${timeOf(lastClose.at)}` : t.none,
    ],
    [t.lastError, lastError ? `${lastError.text}, ${timeOf(lastError.at)}` : t.none],
    [t.server, stats.version ? t.version(stats.version) : t.unknown],
    [t.protocol, stats.protocol || t.unknown],
    [t.address, location.origin],
    [t.browser, navigator.userAgent],
  ];
}

function tripsInWords(trips: Trips): string {
  const t = texts.connectionPage;
  if (trips.length === 0) return t.measuring;
  const answered = trips.filter((ms) => ms !== undefined);
  const last = trips.at(-1);
  const newest = last === undefined ? t.noTrip : t.ms(last);
  return answered.length < 2 ? newest : t.trips(newest, t.ms(Math.min(...answered)), answered.length);
}

function clockInWords(offset: number): string {
  const t = texts.connectionPage;
  const seconds = Math.abs(offset) / 1000;
  if (seconds < 0.1) return t.clockSame;
  return offset > 0
    ? t.clockAhead(texts.formatDuration(seconds))
    : t.clockBehind(texts.formatDuration(seconds));
}

function timeOf(ms: number): string {
  return formatTime(new Date(ms).toISOString());
}
