import { useState } from 'react';
import { formatBytes } from '../request/arguments';
import { texts } from './texts';
import type { Picture } from '../wire/wire';
import { Revealed } from '../ui/Revealed';
import classes from './pictures.module.css';

interface Props {
  pictures: readonly Picture[];
  tool: string;
}

/** The pictures of a result, as the model got them. */
export function Pictures({ pictures, tool }: Props) {
  if (pictures.length === 0) return null;
  return (
    <ul className={classes.pictures}>
      {pictures.map((picture, i) => {
        const alt = texts.call.picture(i + 1, pictures.length, tool, sizeOf(picture));
        return (
          <li key={i}>
            <Shown picture={picture} alt={alt} />
          </li>
        );
      })}
    </ul>
  );
}

// What every browser shows and nothing in it can run.
const shown = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function Shown({ picture, alt }: { picture: Picture; alt: string }) {
  const [broken, setBroken] = useState(false);
  const { mime, data } = picture;
  if (broken || !shown.includes(mime)) {
    return <Revealed text={texts.call.noPicture(sizeOf(picture), mime)} />;
  }
  return (
    <img
      className={classes.picture}
      src={`data:${mime};base64,${data}`}
      alt={alt}
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}

function sizeOf({ data }: Picture): string {
  return formatBytes(Math.floor((data.replace(/=+$/, '').length * 3) / 4));
}
