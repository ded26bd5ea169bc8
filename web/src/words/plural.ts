const plurals = new Intl.PluralRules('en');
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const lists = new Intl.ListFormat('en', { type: 'conjunction' });
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** 1 request, 1,200 requests. */
export const plural = (n: number, one: string, many: string) =>
  `${n.toLocaleString('en')} ${plurals.select(n) === 'one' ? one : many}`;

/** 2nd, 3rd, 21st. */
export const ordinal = (n: number) => `${n.toLocaleString('en')}${endings[ordinals.select(n)] ?? 'th'}`;

/** With a capital first letter. */
export const capitalised = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** a, b, and c. */
export const listed = (names: readonly string[]) => lists.format(names);
