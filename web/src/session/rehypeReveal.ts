import type { ExtraProps } from 'react-markdown';
import { splitHidden, type Mode } from '../ui/hiddenCharacters';
import classes from '../ui/text.module.css';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
interface Root {
  children: Child[];
}

/** For rehype: every hidden character of a message becomes a mark that says which one it is. */
export function rehypeReveal(): (tree: Root) => void {
  return (tree) => reveal(tree, 'prose');
}

function reveal(parent: Root, mode: Mode): void {
  parent.children = parent.children.flatMap((child): Child[] => {
    if (child.type === 'element') reveal(child, child.tagName === 'code' ? 'exact' : mode);
    return child.type === 'text' ? marked(child.value, mode) : [child];
  });
}

function marked(text: string, mode: Mode): Child[] {
  return splitHidden(text, mode).map((piece): Child => {
    const value: Child = { type: 'text', value: piece.text };
    if (!piece.hidden) return value;
    return {
      type: 'element',
      tagName: 'mark',
      properties: { className: [classes.hidden ?? ''] },
      children: [value],
    };
  });
}
