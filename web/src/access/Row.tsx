import type { ReactNode } from 'react';
import classes from './access.module.css';

interface Props {
  icon: ReactNode;
  children: ReactNode;
  second: ReactNode;
  third: ReactNode;
  actions: ReactNode;
  testId: string;
}

/** One login, invitation or token. Its parts stack on a small screen. */
export function Row({ icon, children, second, third, actions, testId }: Props) {
  return (
    <li className={classes.row} data-testid={testId}>
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
      <div className={classes.what}>{children}</div>
      <div className={classes.cells}>
        <div className={classes.cell}>{second}</div>
        <div className={classes.cell}>{third}</div>
      </div>
      <div className={classes.buttons}>{actions}</div>
    </li>
  );
}
