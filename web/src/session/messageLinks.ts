import type { ExtraProps } from 'react-markdown';

export interface OutsideLink {
  href: string; // as the browser reads it, which is what it opens
  name: string; // the host, or whom a mail goes to
}

/** The address of a link in a message, if it is one that leads outside and runs nothing here. */
export function outsideLink(written: string): OutsideLink | undefined {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url) return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') return { href: url.href, name: url.host };
  if (url.protocol === 'mailto:') return { href: url.href, name: url.pathname.toLowerCase() };
  return undefined;
}

type Node = NonNullable<ExtraProps['node']> | NonNullable<ExtraProps['node']>['children'][number];

/** The words of an element, as a person reads them. */
export function textOf(node: Node | undefined): string {
  if (!node) return '';
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}
