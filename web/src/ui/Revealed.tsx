import { useMemo } from 'react';
import { splitHidden, type Mode } from './hiddenCharacters';
import classes from './text.module.css';

interface Props {
  text: string;
  mode?: Mode;
}

/** Text with every hidden character shown as a highlighted ⟨U+…⟩. */
export function Revealed({ text, mode = 'exact' }: Props) {
  const list = useMemo(() => splitHidden(text, mode), [text, mode]);
  return (
    <bdi className={classes.revealed}>
      {list.map((piece, i) =>
        piece.hidden ? (
          <mark key={i} className={classes.hidden}>
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
}
