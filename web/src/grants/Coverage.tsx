import { texts } from './texts';
import type { Coverage } from '../wire/wire';
import classes from './grants.module.css';
import shared from '../ui/shared.module.css';
import { Revealed } from '../ui/Revealed';

/** The patterns and folders of a coverage, to the letter. */
export function CoverageDetail({ covers }: { covers: Coverage }) {
  return (
    <>
      <Letters name={texts.choice.patterns} list={covers.command} />
      <Letters name={texts.choice.folders} list={covers.paths} />
    </>
  );
}

function Letters({ name, list }: { name: string; list: string[] | undefined }) {
  if (!list || list.length === 0) return null;
  return (
    <ul className={`${shared.bare} ${classes.letters}`} aria-label={name}>
      {list.map((text, i) => (
        <li key={i}>
          <code>
            <Revealed text={text} />
          </code>
        </li>
      ))}
    </ul>
  );
}
