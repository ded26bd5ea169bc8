import { ExactNumber, pretty } from '../wire/json';

/** A member of the arguments, at any depth. */
export interface TreeRow {
  key: string;
  depth: number;
  name: string;
  index: boolean; // in a list: its name is an index
  path: string; // in JavaScript syntax
  value: unknown;
  size: number; // its number of members
  end: number; // index after its last descendant
  words: string; // the searched text, in lower case
}

/** All members of a value, parents before their children. */
export function treeRows(value: object): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (holder: object, depth: number, path: string) => {
    const index = Array.isArray(holder);
    for (const [name, inner] of Object.entries(holder) as [string, unknown][]) {
      const members = membersOf(inner);
      const row: TreeRow = {
        key: String(rows.length),
        depth,
        name,
        index,
        path: path + step(name, index),
        value: inner,
        size: members ? Object.keys(members).length : 0,
        end: 0,
        words: '',
      };
      row.words = `${index ? '' : name}\n${row.size > 0 ? '' : pretty(inner)}`.toLowerCase();
      rows.push(row);
      if (members) add(members, depth + 1, row.path);
      row.end = rows.length;
    }
  };
  add(value, 0, '');
  return rows;
}

function membersOf(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber) ? value : undefined;
}

function step(name: string, index: boolean): string {
  if (index) return `[${name}]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** The rows that are not inside a folded one. */
export function unfolded(rows: readonly TreeRow[], folded: ReadonlySet<string>): readonly TreeRow[] {
  if (folded.size === 0) return rows;
  const shown: TreeRow[] = [];
  for (let i = 0; i < rows.length; i = folded.has(rows[i]!.key) ? rows[i]!.end : i + 1) shown.push(rows[i]!);
  return shown;
}

/** The rows whose name or value contains a text, folded or not. */
export function find(rows: readonly TreeRow[], text: string): readonly TreeRow[] {
  const wanted = text.toLowerCase();
  return wanted === '' ? [] : rows.filter((row) => row.words.includes(wanted));
}

/** The folded keys without the ancestors of a row. */
export function openedTo(rows: readonly TreeRow[], folded: ReadonlySet<string>, to: TreeRow): Set<string> {
  const at = rows.indexOf(to);
  return new Set([...folded].filter((key) => !(Number(key) < at && rows[Number(key)]!.end > at)));
}
