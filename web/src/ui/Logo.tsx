import classes from './logo.module.css';

/** A signal whose lower lamp says that the line is clear. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg className={classes.logo} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect className={classes.logoPost} x="9" y="2" width="14" height="28" rx="7" />
      <circle className={classes.logoOff} cx="16" cy="10" r="4" />
      <circle className={classes.logoOn} cx="16" cy="22" r="4.5" />
    </svg>
  );
}
