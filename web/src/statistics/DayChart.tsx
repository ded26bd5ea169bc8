import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { texts } from './texts';
import { outcomes, total } from './outcomes';
import type { DayStats } from '../wire/wire';
import classes from './statistics.module.css';
import frame from '../ui/page.module.css';

interface Props {
  days: readonly DayStats[];
  span: number; // how many days there are to show
}

const wides = { screen: 800, telephone: 380 }; // so that the letters stay as large
const high = 180;
const foot = 20;
const side = 34;

/** Requests by day and what became of them: a picture for those who see it, a table for those who hear it. */
export function DayChart({ days, span }: Props) {
  const narrow = useMediaQuery('(max-width: 600px)') ?? false;
  const wide = narrow ? wides.telephone : wides.screen;
  const all = useMemo(() => everyDay(days, span, new Date()), [days, span]);
  const top = niceTop(Math.max(1, ...all.map(total)));
  const step = (wide - side) / all.length;
  const t = texts.statsPage;
  return (
    <section className={frame.section}>
      <h2 className={frame.sectionTitle}>{t.days}</h2>
      <svg className={classes.chart} viewBox={`0 0 ${wide} ${high + foot}`} aria-hidden data-testid="days">
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line className={classes.grid} x1={side} x2={wide} y1={yOf(part)} y2={yOf(part)} />
            <text className={classes.axis} x={side - 6} y={yOf(part) + 4} textAnchor="end">
              {part * top === Math.round(part * top) ? (part * top).toLocaleString('en') : ''}
            </text>
          </g>
        ))}
        {all.map((day, i) => (
          <Bar key={day.day} day={day} x={side + i * step} step={step} top={top} />
        ))}
        {all.map(
          (day, i) =>
            isLabelled(i, all.length, narrow ? 4 : 8) && (
              <text
                key={day.day}
                className={classes.axis}
                x={Math.min(side + (i + 0.5) * step, wide - 22)}
                y={high + foot - 4}
                textAnchor="middle"
              >
                {shortDay(day.day)}
              </text>
            ),
        )}
      </svg>
      <ul className={classes.legend} aria-hidden>
        {outcomes.map((of) => (
          <li key={of} className={classes.key} data-of={of}>
            {t[of]}
          </li>
        ))}
      </ul>
      <VisuallyHidden>
        <table>
          <caption>{t.days}</caption>
          <thead>
            <tr>
              {[t.day, ...outcomes.map((of) => t[of])].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day}>
                <th scope="row">{day.day}</th>
                {outcomes.map((of) => (
                  <td key={of}>{day[of]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </section>
  );
}

function Bar({ day, x, step, top }: { day: DayStats; x: number; step: number; top: number }) {
  const width = Math.min(46, step * 0.72);
  const left = x + (step - width) / 2;
  const t = texts.statsPage;
  let below = 0;
  return (
    <g>
      <title>{[day.day, ...outcomes.map((of) => `${t[of]}: ${day[of]}`)].join('\n')}</title>
      {outcomes.map((of) => {
        const tall = (day[of] / top) * (high - 10);
        below += tall;
        return (
          day[of] > 0 && (
            <rect
              key={of}
              className={classes.part}
              data-of={of}
              x={left}
              y={high - below}
              width={width}
              height={tall}
            />
          )
        );
      })}
    </g>
  );
}

function yOf(part: number): number {
  return high - part * (high - 10);
}

const none = { approved: 0, denied: 0, deniedByRule: 0, timeouts: 0, cancelled: 0, pending: 0 };

/** The days up to today, also those on which nothing was asked. */
export function everyDay(days: readonly DayStats[], span: number, now: Date): DayStats[] {
  const known = new Map(days.map((d) => [d.day, d]));
  return Array.from({ length: span }, (_, i) => {
    const day = new Date(now.getTime() - (span - 1 - i) * 24 * 3600_000).toISOString().slice(0, 10);
    return known.get(day) ?? { day, ...none };
  });
}

/** The next round number: 1, 2, 4, 10, 20, 40, 100 … */
export function niceTop(most: number): number {
  const size = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 10].map((n) => n * size).find((n) => n >= most) ?? most;
}

function isLabelled(i: number, of: number, most: number): boolean {
  const every = Math.ceil(of / most);
  return (of - 1 - i) % every === 0;
}

function shortDay(day: string): string {
  return new Date(`${day}T12:00:00Z`).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
}
