// The search in History, as kept in the URL. The gateway searches everything that is stored.

/** '' matches all. Days are in this browser's time zone. */
export interface HistorySearch {
  q: string;
  outcome: string;
  agentId: string;
  toolName: string;
  risk: string;
  answeredBy: string;
  from: string;
  to: string;
}

export const everything: HistorySearch = {
  q: '',
  outcome: '',
  agentId: '',
  toolName: '',
  risk: '',
  answeredBy: '',
  from: '',
  to: '',
};

const names = Object.keys(everything) as (keyof HistorySearch)[];

export function searchIn(query: URLSearchParams): HistorySearch {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as unknown as HistorySearch;
}

export function queryOf(search: HistorySearch): URLSearchParams {
  return new URLSearchParams(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
}

/** The query for the gateway: days become instants, and the last day is included. */
export function asked({ from, to, ...rest }: HistorySearch): Record<string, string> {
  const day = (text: string, add: number) => {
    const date = new Date(`${text}T00:00:00`);
    date.setDate(date.getDate() + add);
    return Number.isNaN(date.getTime()) ? '' : date.toISOString();
  };
  const all = { ...rest, q: rest.q.trim(), since: day(from, 0), until: day(to, 1) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}
