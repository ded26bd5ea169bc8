/** The beginning of a text, of at most so many UTF-16 code units, cut between characters. */
export function head(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, isHalf ? most - 1 : most);
}

/** A text of at most so many, with a mark where it was cut. */
export function clipped(text: string, most: number): string {
  return text.length > most ? `${head(text, most - 1)}…` : text;
}
