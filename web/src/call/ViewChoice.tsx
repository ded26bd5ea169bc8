import classes from './arguments.module.css';

interface Props<V extends string> {
  label: string;
  views: readonly (readonly [V, string])[];
  chosen: V;
  onChoose: (view: V) => void;
}

/** Switches between views of the same thing. */
export function ViewChoice<V extends string>({ label, views, chosen, onChoose }: Props<V>) {
  return (
    <span className={classes.views} role="group" aria-label={label}>
      {views.map(([view, words]) => (
        <button key={view} type="button" aria-pressed={chosen === view} onClick={() => onChoose(view)}>
          {words}
        </button>
      ))}
    </span>
  );
}
