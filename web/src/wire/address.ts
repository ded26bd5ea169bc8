export interface Address {
  written: string;
  href: string; // as the browser reads it, which is what it opens
  host: string;
}

// What is opened is the address as the browser reads it, so that is what is
// shown; an address that only means something on this page is none.
export function addressOf(written: string): Address | undefined {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return { written, href: url.href, host: url.host };
}

/** Whether a person who sees the address as it is opened has seen all there is. */
export function isAsWritten({ written, href }: Address): boolean {
  return written === href || `${written}/` === href;
}

/** The address that a text names, if it names exactly one, however often. */
export function onlyAddress(text: string): Address | undefined {
  const found = text.match(/\bhttps?:\/\/[^\s<>"]+/gi) ?? [];
  const names = new Set(found.map(withoutSentence));
  const [one, ...others] = names;
  return one !== undefined && others.length === 0 ? addressOf(one) : undefined;
}

// A full stop or a bracket that was only opened before the address is the sentence's.
function withoutSentence(written: string): string {
  const cut = written.replace(/[.,;:!?'’”»*_]+$/, '');
  const unopened = cut.endsWith(')') && !cut.includes('(');
  return cut === written && !unopened ? written : withoutSentence(unopened ? cut.slice(0, -1) : cut);
}
