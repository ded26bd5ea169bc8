import { outcomes, type Counts } from './outcomes';
import classes from './statistics.module.css';

interface Props {
  counts: Counts;
  of: number; // what fills the whole width
}

/** A bar beside numbers that say the same. */
export function ShareBar({ counts, of }: Props) {
  const width = 120;
  const wide = (n: number) => (n / of) * width;
  let before = 0;
  return (
    <svg className={classes.share} viewBox={`0 0 ${width} 10`} width={width} height={10} aria-hidden>
      {outcomes.map((one) => {
        const x = wide(before);
        before += counts[one];
        return (
          counts[one] > 0 && (
            <rect
              key={one}
              className={classes.part}
              data-of={one}
              x={x}
              width={wide(counts[one])}
              height={10}
            />
          )
        );
      })}
    </svg>
  );
}
