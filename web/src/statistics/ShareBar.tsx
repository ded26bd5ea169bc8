import classes from './statistics.module.css';

interface Props {
  approved: number;
  denied: number;
  all: number;
  of: number; // what fills the whole width
}

/** A bar beside numbers that say the same. */
export function ShareBar({ approved, denied, all, of }: Props) {
  const width = 120;
  const wide = (n: number) => (n / of) * width;
  return (
    <svg className={classes.share} viewBox={`0 0 ${width} 10`} width={width} height={10} aria-hidden>
      <rect className={classes.barOther} width={wide(all)} height={10} rx={2} />
      <rect className={classes.barNo} width={wide(approved + denied)} height={10} rx={2} />
      <rect className={classes.barYes} width={wide(approved)} height={10} rx={2} />
    </svg>
  );
}
