import { ExactNumber, isObject, pretty } from '../wire/json';
import { texts } from '../words/texts';
import { Revealed } from '../ui/Revealed';
import classes from './tree.module.css';
import shared from '../ui/shared.module.css';

/** Short arguments as a foldable tree. Starts unfolded, so that what is approved has been seen. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <div className={`${shared.code} ${classes.tree}`} role="group" aria-label={label} data-testid="tree">
      {isObject(value) || Array.isArray(value) ? <Members value={value} /> : <Leaf value={value} />}
    </div>
  );
}

function Members({ value }: { value: object }) {
  const list = Array.isArray(value);
  return (
    <ul className={`${shared.bare} ${classes.level}`}>
      {Object.entries(value).map(([name, inner]) => (
        <li key={name}>
          <Node name={name} index={list} value={inner} />
        </li>
      ))}
    </ul>
  );
}

function Node({ name, index, value }: { name: string; index: boolean; value: unknown }) {
  const shown = (
    <span className={index ? classes.index : classes.name}>
      <Revealed text={name} />
    </span>
  );
  const size = isObject(value) || Array.isArray(value) ? Object.keys(value).length : 0;
  if (size === 0) {
    return (
      <span className={classes.row}>
        {shown}
        <Leaf value={value} />
      </span>
    );
  }
  return (
    <details open>
      <summary className={classes.row}>
        {shown}
        <span className={classes.kind}>
          {Array.isArray(value) ? texts.card.items(size) : texts.card.members(size)}
        </span>
      </summary>
      <Members value={value as object} />
    </details>
  );
}

export function Leaf({ value }: { value: unknown }) {
  const kind = kindOf(value);
  return (
    <>
      <span className={classes.value} data-kind={kind}>
        <Revealed text={pretty(value)} />
      </span>
      {texts.card.kinds[kind] && <span className={classes.kind}>{texts.card.kinds[kind]}</span>}
    </>
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return value instanceof ExactNumber ? 'number' : typeof value;
}
