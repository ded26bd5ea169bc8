import type { Credential } from '../wire/wire';

/** What somebody may do, and for which agents (none: all). */
export type Rights = Pick<Credential, 'roles' | 'agents'>;

/** A person and their logins, in browsers and terminals. */
export interface Person {
  subject: string;
  logins: readonly Credential[];
  mine: boolean; // the viewer
  rights?: Rights; // if all logins have the same
}

/** The logged-in people by name, the viewer first. Use doesn't reorder rows, so none moves under a click. */
export function peopleOf(logins: readonly Credential[], own: string | undefined): Person[] {
  const mine = logins.find((login) => login.id === own)?.subject;
  return [...new Set(logins.map((login) => login.subject))]
    .map((subject): Person => {
      const all = logins.filter((login) => login.subject === subject);
      all.sort(
        (a, b) => Number(b.id === own) - Number(a.id === own) || b.createdAt.localeCompare(a.createdAt),
      );
      const first = all[0]!;
      const same = all.every((login) => sameRights(login, first));
      return { subject, logins: all, mine: subject === mine, ...(same && { rights: first }) };
    })
    .sort((a, b) => Number(b.mine) - Number(a.mine) || a.subject.localeCompare(b.subject));
}

function sameRights(a: Rights, b: Rights): boolean {
  const words = ({ roles, agents = [] }: Rights) => JSON.stringify([roles.toSorted(), agents.toSorted()]);
  return words(a) === words(b);
}

/** People whose name matches, with all their logins; of the others, only the logins that match. */
export function searchPeople(people: readonly Person[], text: string): Person[] {
  return people.flatMap((person) => {
    if (has([person.subject], text)) return person;
    const logins = person.logins.filter((l) => has([l.browser, l.name, l.address], text));
    return logins.length > 0 ? { ...person, logins } : [];
  });
}

/** Whether one of the texts contains the search text; an empty one always matches. */
export function has(texts: readonly (string | undefined)[], text: string): boolean {
  const part = text.trim().toLowerCase();
  return texts.some((one) => one?.toLowerCase().includes(part)) || part === '';
}
